package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpPeerRejectedException;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Peers with a wrong token: their sessions close, and no error is logged. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class RejectedPeersTest {

    private static final int PEERS = 5;

    @KcpController
    static class Login {

        final List<String> closes = new CopyOnWriteArrayList<>();
        final List<Throwable> errors = new CopyOnWriteArrayList<>();

        @OnMessage
        CompletionStage<String> login(String token, KcpChannel session) {
            if (token.equals("right")) {
                return CompletableFuture.completedFuture("welcome");
            }
            session.writeAndFlush(Unpooled.copiedBuffer("wrong token", StandardCharsets.UTF_8));
            KcpPeerRejectedException rejection = new KcpPeerRejectedException("its token is wrong");
            if (token.equals("later")) {
                return CompletableFuture.failedFuture(rejection);
            }
            throw rejection;
        }

        @OnClose
        void closed(@Nullable KcpCloseReason reason, @Nullable Throwable cause) {
            closes.add(reason + ", " + (cause == null ? "" : cause.getMessage()));
        }

        @OnError
        void failed(Throwable failure) {
            errors.add(failure);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrong", "later"})
    void rejectedSessionsCloseWithoutErrorLogAndAreCounted(String token, CapturedOutput log) {
        new LiveServer(Login.class).run((context, client) -> {
            Login login = context.getBean(Login.class);
            for (int peers = 1; peers <= PEERS; peers++) {
                int expected = peers;
                try (TestClient peer = new TestClient(LiveServer.port(context))) {
                    peer.send(token);
                    assertThat(peer.receive()).isEqualTo("wrong token");
                    peer.send("right");
                    await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> login.closes.size() == expected);
                    assertThat(peer.received()).isEmpty();
                }
            }
            assertThat(login.closes).containsOnly("REJECTED, its token is wrong");
            assertThat(login.errors).isEmpty();
            assertThat(LiveServer.server(context).channel().collectStats().get(TestClient.PATIENCE_S, TimeUnit.SECONDS).closed())
                .containsOnly(Map.entry(KcpCloseReason.REJECTED, (long) PEERS));
            client.send("right");
            assertThat(client.receive()).isEqualTo("welcome");
        });
        assertThat(log.getAll().lines().filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")
            || line.startsWith("\tat "))).isEmpty();
    }

    @KcpController
    static class Greeting {

        @OnOpen
        String hello() {
            return "hello";
        }
    }

    @Test
    void controllersWithoutMessageMethodAreWarnedAbout(CapturedOutput log) {
        new LiveServer(Greeting.class).run((context, client) -> assertThat(log.getAll()).containsOnlyOnce(
            "No controller of the KCP server \"server\" has an @OnMessage method"));
        assertThat(log.getAll()).contains("Greeting]", "messages from its peers are dropped");
    }

    @Test
    void controllersWithMessageMethodAreNotWarnedAbout(CapturedOutput log) {
        new LiveServer(Login.class).run((context, client) -> assertThat(client.session().pipeline().get(
            ChannelInboundHandlerAdapter.class)).isNotNull());
        assertThat(log.getAll()).doesNotContain("has an @OnMessage method");
    }
}
