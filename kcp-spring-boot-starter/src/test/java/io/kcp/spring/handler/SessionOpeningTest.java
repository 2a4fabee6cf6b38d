package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.annotation.Order;

/** Sessions whose {@code @OnOpen} and {@code @OnClose} methods are called. */
@Timeout(60)
class SessionOpeningTest {

    private static void awaitTrue(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(condition);
    }

    @KcpController
    @Order(2)
    static class Log {

        private final List<String> events = new CopyOnWriteArrayList<>();
        private final Semaphore mayClose = new Semaphore(0);

        @OnOpen
        void onOpen() {
            events.add("open");
        }

        @OnMessage
        String onMessage(String message) {
            events.add(message);
            return message;
        }

        @OnClose
        void onClose() throws InterruptedException {
            events.add("close");
            if (!mayClose.tryAcquire(TestClient.PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no permit");
            }
        }
    }

    /** Handles the first session before the controllers. */
    abstract static class Guard implements KcpSessionCustomizer {

        final Semaphore gone = new Semaphore(0);
        private boolean guarded;

        @Override
        public void customize(String server, KcpChannel session) {
            if (guarded) {
                return;
            }
            guarded = true;
            session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                    onActive(context);
                }

                @Override
                public void channelInactive(ChannelHandlerContext context) {
                    context.fireChannelInactive();
                    gone.release();
                }
            });
        }

        abstract void onActive(ChannelHandlerContext context);
    }

    static final class Banning extends Guard {

        @Override
        void onActive(ChannelHandlerContext context) {
            context.channel().close();
            context.fireChannelActive();
        }
    }

    @ParameterizedTest
    @MethodSource("io.kcp.spring.handler.PendingMessagesTest#threads")
    void sessionClosedBeforeOnOpenHasNoOnCloseOnBlockingThreads(PendingMessagesTest.Threads threads) {
        checkClosedBeforeOnOpen(threads.server(Log.class).with(runner -> runner.withBean(Banning.class)));
    }

    @Test
    void sessionClosedBeforeOnOpenHasNoOnClose() {
        checkClosedBeforeOnOpen(new LiveServer(Banning.class, Log.class));
    }

    private static void checkClosedBeforeOnOpen(LiveServer server) {
        server.run((context, client) -> {
            Log log = context.getBean(Log.class);
            log.mayClose.release(2);
            client.send("banned");
            awaitTrue(context.getBean(Banning.class).gone::tryAcquire);
            try (TestClient other = new TestClient(LiveServer.port(context))) {
                other.send("welcome");
                assertThat(other.receive()).isEqualTo("welcome");
                assertThat(log.events).containsExactly("open", "welcome");
            }
        });
    }

    static final class Failing extends Guard {

        @Override
        void onActive(ChannelHandlerContext context) {
            throw new IllegalStateException("on purpose");
        }
    }

    @ParameterizedTest
    @MethodSource("io.kcp.spring.handler.PendingMessagesTest#threads")
    void sessionFailedBeforeOnOpenHasNoOnCloseAndShutdownWaitsForOthers(PendingMessagesTest.Threads threads) {
        threads.server(Log.class).with(runner -> runner.withBean(Failing.class)).run((context, client) -> {
            Log log = context.getBean(Log.class);
            client.send("failing");
            awaitTrue(context.getBean(Failing.class).gone::tryAcquire);
            try (TestClient other = new TestClient(LiveServer.port(context))) {
                other.send("welcome");
                assertThat(other.receive()).isEqualTo("welcome");
                Thread stopping = new Thread(context::close);
                stopping.start();
                awaitTrue(() -> log.events.contains("close"));
                stopping.join(300);
                assertThat(stopping.isAlive()).as("@OnClose has not returned").isTrue();
                log.mayClose.release();
                stopping.join(TimeUnit.SECONDS.toMillis(TestClient.PATIENCE_S));
                assertThat(stopping.isAlive()).isFalse();
            }
            assertThat(log.events).containsExactly("open", "welcome", "close");
        });
    }

    @KcpController
    @Order(1)
    static class Throwing {

        @OnOpen
        void onOpen() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    void onOpenOfAllControllersIsCalledDespiteFailure() {
        new LiveServer(Throwing.class, Log.class).run((context, client) -> {
            Log log = context.getBean(Log.class);
            log.mayClose.release();
            client.send("not handled any more");
            awaitTrue(() -> log.events.contains("close"));
            assertThat(log.events).containsExactly("open", "close");
        });
    }
}
