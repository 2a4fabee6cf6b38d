package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests controller methods that still use a session whose peer is lost. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LostSessionsTest {

    private static void runUntilLost(LiveServer server, Class<? extends Lost> controller) {
        runUntilLost(server, controller, "IDLE KcpCloseException");
    }

    private static void runUntilLost(LiveServer server, Class<? extends Lost> controller, String expected) {
        server.with("kcp.server.idle-timeout=1s", "kcp.server.keepalive=0").run((context, client) -> {
            Lost lost = context.getBean(controller);
            client.send("a message");
            await().atMost(Duration.ofSeconds(30)).until(() -> lost.session != null);
            client.session().datagramChannel().close();
            await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> !lost.closes.isEmpty());
            assertThat(lost.closes).containsExactly(expected);
        });
    }

    /** Records the close reason of its session. */
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
    void futureThatFailsBecauseSessionIsLostIsNoError(CapturedOutput log) {
        runUntilLost(new LiveServer(Waiting.class), Waiting.class);
        assertThat(log.getAll()).doesNotContain("not handled by an @OnError method");
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
    @MethodSource("io.kcp.spring.handler.PendingMessagesTest#threads")
    void writeFailureAfterLossKeepsCloseReason(PendingMessagesTest.Threads threads, CapturedOutput log) {
        runUntilLost(threads.server(Throwing.class), Throwing.class);
        assertThat(log.getAll()).doesNotContain("not handled by an @OnError method");
    }

    @KcpController
    static class Failing extends Lost {

        @OnMessage
        void onMessage(KcpChannel from, String message) {
            session = from;
            from.closeFuture().awaitUninterruptibly();
            throw new IllegalStateException("a bug of the method");
        }

        @Override
        @OnClose
        void onClose(KcpCloseReason reason, Throwable cause) {
            assertThat(cause).hasRootCauseMessage("a bug of the method");
            super.onClose(reason, cause.getSuppressed()[0]);
        }
    }

    @ParameterizedTest
    @MethodSource("io.kcp.spring.handler.PendingMessagesTest#threads")
    void failureAfterLossIsPassedToOnClose(PendingMessagesTest.Threads threads, CapturedOutput log) {
        runUntilLost(threads.server(Failing.class), Failing.class, "APPLICATION_FAILED KcpCloseException");
        assertThat(log.getAll()).contains("threw after the session had closed (not handled by an @OnError method)");
    }

    /** A handler before the controllers that closes the session without passing the close to them. */
    private static final class Closer extends ChannelInboundHandlerAdapter {

        private @Nullable ChannelHandlerContext context;

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void close() {
            Objects.requireNonNull(context).close();
        }
    }

    @KcpController
    static class LateWriter extends Lost {

        private final Semaphore permits = new Semaphore(0);
        private volatile boolean lingered;

        @OnMessage
        void onMessage(KcpChannel from, String message) throws InterruptedException {
            session = from;
            assertThat(permits.tryAcquire(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            from.writeAndFlush("nobody is there");
            from.pipeline().get(Closer.class).close();
            from.eventLoop().submit(() -> { }).sync();
            lingered = from.isActive() && from.isClosing();
            from.writeAndFlush("too late").sync();
        }
    }

    @ParameterizedTest
    @MethodSource("io.kcp.spring.handler.PendingMessagesTest#threads")
    void writeToLingeringSessionIsNoFailure(PendingMessagesTest.Threads threads, CapturedOutput log) {
        LiveServer server = threads.server(LateWriter.class).with(runner -> runner.withBean("closer", KcpSessionCustomizer.class,
            () -> (name, session) -> session.pipeline().addLast(new Closer())));
        server.run((context, client) -> {
            client.send("a message");
            LateWriter writer = context.getBean(LateWriter.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> writer.session != null);
            client.session().datagramChannel().close().syncUninterruptibly();
            writer.permits.release();
            await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> !writer.closes.isEmpty());
            assertThat(writer.closes).containsExactly("LINGER_EXPIRED KcpCloseException");
            assertThat(writer.lingered).isTrue();
        });
        assertThat(log.getAll()).doesNotContain("not handled by an @OnError method");
    }
}
