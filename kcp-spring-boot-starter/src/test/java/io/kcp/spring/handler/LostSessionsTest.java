package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What methods still do with a session whose peer has gone. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LostSessionsTest {

    private static void runUntilLost(LiveServer server, Class<? extends Lost> controller) {
        server.with("kcp.server.idle-timeout=1s", "kcp.server.keepalive=0").run((context, client) -> {
            Lost lost = context.getBean(controller);
            client.send("a message");
            await().until(() -> lost.session != null);
            client.session().datagramChannel().close();
            await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> !lost.closes.isEmpty());
            assertThat(lost.closes).containsExactly("IDLE KcpCloseException");
        });
    }

    /** Says how its session ended. */
    abstract static class Lost {

        final List<String> closes = new CopyOnWriteArrayList<>();
        volatile @Nullable KcpChannel session;

        @OnClose
        void onClose(KcpCloseReason reason, Throwable cause) {
            closes.add(reason + " " + cause.getClass().getSimpleName());
        }
    }

    @KcpController
    static class Waiting extends Lost {

        @OnMessage
        CompletionStage<String> onMessage(KcpChannel from, String message) {
            session = from;
            CompletableFuture<String> answer = new CompletableFuture<>();
            from.closeFuture().addListener(closed -> from.writeAndFlush(message).addListener(written ->
                answer.completeExceptionally(written.cause())));
            return answer.thenApply(never -> message);
        }
    }

    @Test
    void anAnswerThatIsLostWithItsSessionIsNoErrorOfTheMethod(CapturedOutput log) {
        runUntilLost(new LiveServer(Waiting.class), Waiting.class);
        assertThat(log.getAll()).doesNotContain("no @OnError method took it");
    }

    @KcpController
    static class Throwing extends Lost {

        @OnMessage
        void onMessage(KcpChannel from, String message) {
            session = from;
            from.closeFuture().awaitUninterruptibly();
            from.writeAndFlush(message).syncUninterruptibly();
        }
    }

    @ParameterizedTest
    @MethodSource("io.kcp.spring.handler.WaitingMessagesTest#threads")
    void aMethodThatThrowsBecauseItsSessionIsLostDoesNotHideWhyItEnded(WaitingMessagesTest.Threads threads, CapturedOutput log) {
        runUntilLost(threads.server(Throwing.class), Throwing.class);
        assertThat(log.getAll()).doesNotContain("no @OnError method took it");
    }
}
