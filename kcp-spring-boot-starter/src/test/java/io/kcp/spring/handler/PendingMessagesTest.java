package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionStats;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.system.JavaVersion;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests order, back-pressure and shutdown with messages whose methods take a long time. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class PendingMessagesTest {

    private static final int MESSAGES = 1_000;
    private static final int MESSAGE_BYTES = 100;
    private static final int MAX_PENDING = 4;
    /** Messages that one read delivers. */
    private static final int READ_AT_ONCE = 16;
    /** More messages than are read at first. */
    private static final int ACKNOWLEDGED = 3 * (MAX_PENDING + READ_AT_ONCE);

    /** The threads on which methods block. */
    enum Threads {
        PLATFORM {
            @Override
            LiveServer server(Class<?> controller) {
                return new LiveServer(controller, ThreadedControllers.class, BlockingSessions.class) {
                    @Override
                    ApplicationContextRunner configured(ApplicationContextRunner runner) {
                        return runner.withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class));
                    }
                };
            }
        },
        VIRTUAL {
            @Override
            LiveServer server(Class<?> controller) {
                return new LiveServer(controller).with("spring.threads.virtual.enabled=true");
            }
        };

        abstract LiveServer server(Class<?> controller);
    }

    static Stream<Threads> threads() {
        return JavaVersion.getJavaVersion().isOlderThan(JavaVersion.TWENTY_ONE) ? Stream.of(Threads.PLATFORM) : Stream.of(Threads.values());
    }

    private static String message(int number) {
        return String.format("%0" + MESSAGE_BYTES + "d", number);
    }

    private static void sendAll(TestClient client) {
        IntStream.range(0, MESSAGES).forEach(number -> client.send(message(number)));
    }

    private static KcpSessionStats stats(KcpChannel session) {
        return Objects.requireNonNull(session.collectStats().syncUninterruptibly().getNow());
    }

    private static void awaitClosedWindow(KcpChannel client) {
        await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> stats(client).remoteWindow() == 0);
    }

    // ---- on the event loop

    @KcpController(maxPending = MAX_PENDING)
    static class Futures {

        private final Queue<CompletableFuture<String>> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger outOfBand = new AtomicInteger();
        private volatile @Nullable KcpChannel session;

        @OnMessage
        void onOob(KcpOobMessage message) {
            outOfBand.incrementAndGet();
        }

        @OnMessage
        CompletionStage<String> onMessage(KcpChannel from, String message) {
            session = from;
            CompletableFuture<String> answer = new CompletableFuture<>();
            waiting.add(answer);
            return answer.thenApply(done -> message);
        }
    }

    @Test
    @Tag("slow")
    void readingIsSuspendedWhileTooManyFuturesArePending() {
        new LiveServer(Futures.class).with("kcp.server.receive-window=32").run((context, client) -> {
            sendAll(client);
            awaitClosedWindow(client.session());
            Futures futures = context.getBean(Futures.class);
            assertThat(futures.waiting).hasSizeBetween(MAX_PENDING, MAX_PENDING + READ_AT_ONCE);
            for (int number = 0; number < MESSAGES; number++) {
                await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1))
                    .until(() -> !futures.waiting.isEmpty());
                assertThat(futures.waiting).hasSizeLessThanOrEqualTo(MAX_PENDING + READ_AT_ONCE);
                futures.waiting.remove().complete("done");
                assertThat(client.receive()).isEqualTo(message(number));
            }
        });
    }

    /** Sends an out-of-band message and then a message, and waits until the second one, and therefore both, have arrived. */
    private static void sendOob(TestClient client) {
        client.sendOob("beside");
        client.send("after it");
        client.session().acknowledged().syncUninterruptibly();
    }

    @Test
    void oobMessagesAreDroppedWhileTooManyFuturesArePending() {
        new LiveServer(Futures.class).run((context, client) -> {
            sendAndAwaitAcknowledgement(client);
            Futures futures = context.getBean(Futures.class);
            assertThat(futures.waiting).hasSizeGreaterThanOrEqualTo(MAX_PENDING);
            sendOob(client);
            for (int answered = 0; answered <= ACKNOWLEDGED; answered++) {
                await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1))
                    .until(() -> !futures.waiting.isEmpty());
                futures.waiting.remove().complete("done");
                client.receive();
            }
            assertThat(futures.outOfBand).hasValue(0);
            sendOob(client);
            assertThat(futures.outOfBand).hasValue(1);
            futures.waiting.remove().complete("done");
        });
    }

    @Test
    void oobMessagesAreDroppedDuringDrain() {
        new LiveServer(Futures.class).run((context, client) -> {
            client.send("first");
            Futures futures = context.getBean(Futures.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> futures.session != null);
            Thread stopping = stop(context, ConfigurableApplicationContext::close);
            await().atMost(Duration.ofSeconds(30))
                .until(() -> Objects.requireNonNull(futures.session).pipeline().get(SessionDrain.class) != null);
            sendOob(client);
            assertThat(futures.waiting).hasSize(2);
            futures.waiting.forEach(future -> future.complete("done"));
            assertThat(client.receive()).isEqualTo("first");
            assertThat(client.receive()).isEqualTo("after it");
            awaitEnd(stopping);
            assertThat(futures.outOfBand).hasValue(0);
        });
    }

    @KcpController
    static class Enlarging {

        private volatile @Nullable KcpChannel session;

        @OnMessage
        byte[] onMessage(KcpChannel from, ByteBuf message) {
            session = from;
            return new byte[32 * 1024];
        }
    }

    @Test
    @Tag("slow")
    void readingIsSuspendedWhileSessionIsNotWritable() {
        new LiveServer(Enlarging.class).with("kcp.server.receive-window=32").run((context, client) -> {
            client.session().config().setAutoRead(false);
            sendAll(client);
            awaitClosedWindow(client.session());
            KcpChannel session = Objects.requireNonNull(context.getBean(Enlarging.class).session);
            assertThat(session.isWritable()).isFalse();
            assertThat(stats(session).counters().bytesReceived()).isLessThan(100L * MESSAGE_BYTES);
            client.session().config().setAutoRead(true);
            for (int number = 0; number < MESSAGES; number++) {
                assertThat(client.receive()).hasSize(32 * 1024);
            }
        });
    }

    // ---- on blocking threads

    @KcpController(maxPending = MAX_PENDING)
    static class Blocking {

        private final Semaphore permits = new Semaphore(0);
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger mostRunning = new AtomicInteger();
        private final List<String> log = new CopyOnWriteArrayList<>();
        private final ConcurrentHashMap<String, KcpChannel> sessions = new ConcurrentHashMap<>();

        @OnOpen
        void onOpen(KcpChannel session) {
            sessions.put("last", session);
            log.add("open");
        }

        @OnMessage
        String onMessage(String message) throws InterruptedException {
            mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
                if (message.startsWith("throw")) {
                    throw new IllegalStateException(message);
                }
                if (!permits.tryAcquire(TestClient.PATIENCE_S, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("no permit");
                }
                log.add(message);
                return message;
            } finally {
                running.decrementAndGet();
            }
        }

        @OnClose
        void onClose(KcpChannel session, @Nullable KcpCloseReason reason) {
            log.add("close " + reason);
        }
    }

    @ParameterizedTest
    @MethodSource("threads")
    void readingIsSuspendedWhileTooManyMessagesWait(Threads threads) {
        threads.server(Blocking.class).with("kcp.server.receive-window=32").run((context, client) -> {
            sendAll(client);
            awaitClosedWindow(client.session());
            Blocking controller = context.getBean(Blocking.class);
            KcpChannel session = Objects.requireNonNull(controller.sessions.get("last"));
            // The window may close while the event loop still delivers the first messages.
            await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S))
                    .until(() -> stats(session).counters().bytesReceived() >= (long) MAX_PENDING * MESSAGE_BYTES);
            assertThat(stats(session).counters().bytesReceived()).isLessThanOrEqualTo((MAX_PENDING + READ_AT_ONCE) * (long) MESSAGE_BYTES);
            controller.permits.release(MESSAGES);
            for (int number = 0; number < MESSAGES; number++) {
                assertThat(client.receive()).isEqualTo(message(number));
            }
            assertThat(controller.mostRunning).hasValue(1);
        });
    }

    /** Stops an application in the background and waits until its server accepts no more sessions. */
    private static Thread stop(AssertableApplicationContext context, Consumer<ConfigurableApplicationContext> how) {
        KcpServerChannel server = LiveServer.server(context).channel();
        Thread stopping = new Thread(() -> how.accept(context.getSourceApplicationContext(ConfigurableApplicationContext.class)));
        stopping.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> !server.isAccepting());
        return stopping;
    }

    private static void awaitEnd(Thread stopping) throws InterruptedException {
        stopping.join(TimeUnit.SECONDS.toMillis(TestClient.PATIENCE_S));
        assertThat(stopping.isAlive()).isFalse();
    }

    private static void sendAndAwaitAcknowledgement(TestClient client) {
        IntStream.range(0, ACKNOWLEDGED).forEach(number -> client.send(message(number)));
        client.session().acknowledged().syncUninterruptibly();
    }

    @ParameterizedTest
    @MethodSource("threads")
    void acknowledgedMessagesAreAnsweredBeforeApplicationCloses(Threads threads) {
        threads.server(Blocking.class).run((context, client) -> {
            sendAndAwaitAcknowledgement(client);
            Thread stopping = stop(context, ConfigurableApplicationContext::close);
            Blocking controller = context.getBean(Blocking.class);
            controller.permits.release(ACKNOWLEDGED);
            for (int number = 0; number < ACKNOWLEDGED; number++) {
                assertThat(client.receive()).isEqualTo(message(number));
            }
            awaitEnd(stopping);
            assertThat(controller.log).startsWith("open", message(0)).endsWith(message(ACKNOWLEDGED - 1), "close null")
                .hasSize(ACKNOWLEDGED + 2);
        });
    }

    @Test
    void acknowledgedMessagesAreAnsweredByFuturesBeforeApplicationStops() {
        new LiveServer(Futures.class).run((context, client) -> {
            sendAndAwaitAcknowledgement(client);
            Thread stopping = stop(context, ConfigurableApplicationContext::stop);
            Futures futures = context.getBean(Futures.class);
            for (int number = 0; number < ACKNOWLEDGED; number++) {
                await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1))
                    .until(() -> !futures.waiting.isEmpty());
                futures.waiting.remove().complete("done");
                assertThat(client.receive()).isEqualTo(message(number));
            }
            awaitEnd(stopping);
        });
    }

    @ParameterizedTest
    @MethodSource("threads")
    void endlessSenderDoesNotPreventShutdown(Threads threads) {
        int window = 32;
        threads.server(Blocking.class).with("kcp.server.receive-window=" + window).run((context, client) -> {
            sendAll(client);
            awaitClosedWindow(client.session());
            Thread stopping = stop(context, ConfigurableApplicationContext::close);
            Blocking controller = context.getBean(Blocking.class);
            controller.permits.release(MESSAGES);
            awaitEnd(stopping);
            // Messages read before the drain, two receive windows, and the rest of a read.
            assertThat(controller.log).hasSizeBetween(2 + MAX_PENDING + window, 2 + MAX_PENDING + READ_AT_ONCE + 2 * window + READ_AT_ONCE)
                .endsWith("close null");
        });
    }

    @Test
    void peerThatDoesNotReadDoesNotPreventShutdown(CapturedOutput log) {
        new LiveServer(Enlarging.class).with("kcp.server.receive-window=32").run((context, client) -> {
            client.session().config().setAutoRead(false);
            sendAll(client);
            awaitClosedWindow(client.session());
            awaitEnd(stop(context, ConfigurableApplicationContext::close));
        });
        assertThat(log.getAll()).contains("has no more sessions").doesNotContain("still running after timeout");
    }

    @ParameterizedTest
    @MethodSource("threads")
    void messagesAfterFailureAreDiscarded(Threads threads) {
        threads.server(Blocking.class).run((context, client) -> {
            Blocking controller = context.getBean(Blocking.class);
            controller.permits.release(MESSAGES);
            client.send("before");
            client.send("throw");
            client.send("after");
            client.send("after that");
            assertThat(client.receive()).isEqualTo("before");
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.log.contains("close APPLICATION_FAILED"));
            assertThat(controller.log).containsExactly("open", "before", "close APPLICATION_FAILED");
        });
    }

    @ParameterizedTest
    @MethodSource("threads")
    void onCloseFollowsLastMessageOfLostSession(Threads threads) {
        threads.server(Blocking.class).with("kcp.server.idle-timeout=2s", "kcp.server.keepalive=0").run((context, client) -> {
            Blocking controller = context.getBean(Blocking.class);
            client.send("a");
            client.send("b");
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.sessions.containsKey("last")
                && stats(controller.sessions.get("last")).counters().bytesReceived() == 2);
            client.session().datagramChannel().close();
            await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> !controller.sessions.get("last").isOpen());
            assertThat(controller.log).containsExactly("open");
            controller.permits.release(2);
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.log.size() == 4);
            assertThat(controller.log).containsExactly("open", "a", "b", "close IDLE");
        });
    }

    @KcpController(maxPending = MAX_PENDING)
    static class BlockingBuffers {

        private final Semaphore permits = new Semaphore(0);
        private final AtomicInteger answered = new AtomicInteger();
        private volatile @Nullable KcpChannel session;
        private volatile boolean closed;

        @OnOpen
        void onOpen(KcpChannel opened) {
            session = opened;
        }

        @OnClose
        void onClose() {
            closed = true;
        }

        @OnMessage
        ByteBuf onMessage(ByteBuf message) throws InterruptedException {
            if (!permits.tryAcquire(TestClient.PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no permit");
            }
            answered.incrementAndGet();
            return message;
        }

        @OnMessage
        ByteBuf onOob(KcpOobMessage message) {
            return message.content();
        }
    }

    @ParameterizedTest
    @MethodSource("threads")
    void closeDiscardsAndReleasesQueuedMessages(Threads threads) {
        // LiveServer checks that all buffers are released.
        threads.server(BlockingBuffers.class).with("kcp.server.receive-window=32").run((context, client) -> {
            sendAll(client);
            awaitClosedWindow(client.session());
            BlockingBuffers controller = context.getBean(BlockingBuffers.class);
            Objects.requireNonNull(controller.session).close().awaitUninterruptibly();
            controller.permits.release(MESSAGES);
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.closed);
            assertThat(controller.answered).hasValue(1);
        });
    }

    @ParameterizedTest
    @MethodSource("threads")
    void longAndOobMessagesArePassedAsBuffers(Threads threads) {
        threads.server(BlockingBuffers.class).run((context, client) -> {
            BlockingBuffers controller = context.getBean(BlockingBuffers.class);
            controller.permits.release(2);
            String large = "l".repeat(40_000);
            client.send(large);
            client.send("small");
            assertThat(client.receive()).isEqualTo(large);
            assertThat(client.receive()).isEqualTo("small");
            client.sendOob("beside");
            assertThat(client.receive()).isEqualTo("beside");
        });
    }
}
