package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests the conditions under which a drain waits and ends. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class SessionDrainTest {

    private static final String THREADS = "io.kcp.spring.handler.PendingMessagesTest#threads";
    /** Much shorter than Spring's default timeout for a shutdown phase. */
    private static final Duration SOON = Duration.ofSeconds(30);

    /** Stores its session and logs the close reason. */
    abstract static class Watched {

        final List<String> log = new CopyOnWriteArrayList<>();
        volatile @Nullable KcpChannel session;

        @OnOpen
        void onOpen(KcpChannel opened) {
            session = opened;
        }

        @OnClose
        void onClose(@Nullable KcpCloseReason reason) {
            log.add("close " + reason);
        }

        KcpChannel session() {
            return Objects.requireNonNull(session);
        }
    }

    private static Thread stop(AssertableApplicationContext context) {
        Thread stopping = new Thread(context.getSourceApplicationContext(ConfigurableApplicationContext.class)::close);
        stopping.start();
        return stopping;
    }

    /** Stops an application in the background and waits until the drain of its session has started. */
    private static Thread drain(AssertableApplicationContext context, Watched controller) {
        Thread stopping = stop(context);
        await().atMost(Duration.ofSeconds(30)).until(() -> controller.session().pipeline().get(SessionDrain.class) != null);
        return stopping;
    }

    private static void awaitEnd(Thread stopping) throws InterruptedException {
        stopping.join(SOON.toMillis());
        assertThat(stopping.isAlive()).as("the application stops soon").isFalse();
    }

    // ---- the application closes

    @KcpController
    static class Waiting extends Watched {

        private final Queue<CompletableFuture<String>> waiting = new ConcurrentLinkedQueue<>();

        @OnMessage
        CompletionStage<String> onMessage(String message) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            waiting.add(answer);
            return answer.thenApply(done -> message);
        }
    }

    private static Waiting sendOne(AssertableApplicationContext context, TestClient client) {
        client.send("a");
        Waiting controller = context.getBean(Waiting.class);
        await().atMost(Duration.ofSeconds(30)).until(() -> !controller.waiting.isEmpty());
        return controller;
    }

    @Test
    void closeByApplicationIsNotDelayedByDrain() {
        new LiveServer(Waiting.class).run((context, client) -> {
            Waiting controller = sendOne(context, client);
            Thread stopping = drain(context, controller);
            ChannelFuture closed = controller.session().closeBecause(new IllegalStateException("evil peer"));
            assertThat(closed.awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(closed.isSuccess()).isTrue();
            awaitEnd(stopping);
            assertThat(controller.log).containsExactly("close APPLICATION_FAILED");
            assertThat(controller.waiting).hasSize(1);
        });
    }

    @Test
    void closeByApplicationWorksAfterStopAccepting() {
        new LiveServer(Waiting.class).run((context, client) -> {
            Waiting controller = sendOne(context, client);
            LiveServer.server(context).channel().stopAccepting().syncUninterruptibly();
            ChannelFuture closed = controller.session().close();
            assertThat(closed.awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.log.contains("close null"));
        });
    }

    @Test
    void farewellIsLastMessageOfKickedClientDuringDrain() {
        new LiveServer(Waiting.class).run((context, client) -> {
            Waiting controller = sendOne(context, client);
            Thread stopping = drain(context, controller);
            KcpSessionRegistry<String, String> registry = new KcpSessionRegistry<>();
            registry.add(controller.session());
            ChannelFuture kicked = registry.kick(controller.session(), "cheating",
                Unpooled.copiedBuffer("farewell", StandardCharsets.UTF_8));
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.session().isClosing());
            client.send("after the kick");
            controller.waiting.forEach(answer -> answer.complete("done"));
            assertThat(client.receive()).isEqualTo("farewell");
            assertThat(kicked.awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            awaitEnd(stopping);
            assertThat(client.received()).isEmpty();
            assertThat(controller.waiting).hasSize(1);
        });
    }

    @KcpController
    static class Closing extends Watched {

        private final Semaphore permits = new Semaphore(0);

        @OnMessage
        void onMessage(KcpChannel from, String message) throws InterruptedException {
            log.add(message);
            permits.acquire();
            log.add("closed " + from.close().await(TestClient.PATIENCE_S, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @MethodSource(THREADS)
    void methodMayCloseItsSessionDuringDrain(PendingMessagesTest.Threads threads) {
        threads.server(Closing.class).run((context, client) -> {
            client.send("bye");
            Closing controller = context.getBean(Closing.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.log.contains("bye"));
            Thread stopping = drain(context, controller);
            controller.permits.release();
            awaitEnd(stopping);
            assertThat(controller.log).containsExactly("bye", "closed true", "close null");
        });
    }

    // ---- the peer does not read

    @KcpController
    static class WaitingForWrites extends Watched {

        @OnMessage
        void onMessage(KcpChannel from, String message) throws InterruptedException {
            log.add(message);
            for (int i = 0; i < 1_000; i++) {
                from.writeAndFlush(Unpooled.wrappedBuffer(new byte[1_000])).sync();
            }
        }
    }

    @KcpController
    static class ReturningWrites extends Watched {

        @OnMessage
        Future<Void> onMessage(KcpChannel from, String message) {
            log.add(message);
            for (int i = 0; i < 1_000; i++) {
                from.write(Unpooled.wrappedBuffer(new byte[1_000]));
            }
            return from.writeAndFlush(Unpooled.EMPTY_BUFFER);
        }
    }

    private static void drainWithAPeerThatDoesNotRead(LiveServer server, Class<? extends Watched> controllers, CapturedOutput output,
        String... messages) {
        server.run((context, client) -> {
            client.session().config().setAutoRead(false);
            List.of(messages).forEach(client::send);
            client.session().acknowledged().syncUninterruptibly();
            Watched controller = context.getBean(controllers);
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.session != null
                && controller.session.collectStats().syncUninterruptibly().getNow().remoteWindow() == 0);
            awaitEnd(drain(context, controller));
            assertThat(controller.log).startsWith(messages).endsWith("close LINGER_EXPIRED").hasSize(messages.length + 1);
        });
        assertThat(output).contains("sessions whose peers did not acknowledge all data: 1").doesNotContain("ERROR")
            .doesNotContain("did not finish");
    }

    @ParameterizedTest
    @MethodSource(THREADS)
    void stalledPeerReleasesMethodsThatWaitForWrites(PendingMessagesTest.Threads threads, CapturedOutput output) {
        drainWithAPeerThatDoesNotRead(threads.server(WaitingForWrites.class), WaitingForWrites.class, output, "first", "second");
    }

    @Test
    void stalledPeerEndsDrainDespiteReturnedWriteFuture(CapturedOutput output) {
        drainWithAPeerThatDoesNotRead(new LiveServer(ReturningWrites.class), ReturningWrites.class, output, "only");
    }

    // ---- methods finish

    @KcpController
    static class Slow extends Watched {

        private final Semaphore permits = new Semaphore(0);

        @OnMessage
        String onMessage(String message) throws InterruptedException {
            log.add(message);
            assertThat(permits.tryAcquire(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            return message;
        }
    }

    /** The drain checks its state after the method has returned and before the response is written. */
    @Test
    void drainWaitsForQueuedWriteOfAnotherThread() {
        PendingMessagesTest.Threads.PLATFORM.server(Slow.class).run((context, client) -> {
            client.send("question");
            Slow controller = context.getBean(Slow.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.log.contains("question"));
            Thread stopping = drain(context, controller);
            CountDownLatch checkQueued = new CountDownLatch(1);
            CountDownLatch answered = new CountDownLatch(1);
            controller.session().eventLoop().execute(() -> {
                controller.session().pipeline().fireChannelWritabilityChanged();
                checkQueued.countDown();
                try {
                    assertThat(answered.await(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            });
            assertThat(checkQueued.await(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            controller.permits.release();
            ThreadedControllers threads = context.getBean(ThreadedControllers.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> threads.busy() == 0);
            answered.countDown();
            assertThat(client.receive()).isEqualTo("question");
            awaitEnd(stopping);
        });
    }

    @KcpController(maxPending = 4)
    static class Reluctant extends Watched {

        @Override
        @OnOpen
        void onOpen(KcpChannel opened) {
            super.onOpen(opened);
            opened.config().setAutoRead(false);
        }

        @OnMessage
        String onMessage(String message) {
            log.add(message);
            return message;
        }
    }

    @ParameterizedTest
    @MethodSource(THREADS)
    void acknowledgedMessagesAreAnsweredWithoutAutoRead(PendingMessagesTest.Threads threads) {
        int messages = 60;
        threads.server(Reluctant.class).run((context, client) -> {
            client.send("0");
            Reluctant controller = context.getBean(Reluctant.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> controller.session != null && !controller.session.config().isAutoRead());
            for (int number = 1; number < messages; number++) {
                client.send(Integer.toString(number));
            }
            client.session().acknowledged().syncUninterruptibly();
            assertThat(controller.log).hasSizeLessThan(messages / 2);
            Thread stopping = stop(context);
            for (int number = 0; number < messages; number++) {
                assertThat(client.receive()).isEqualTo(Integer.toString(number));
            }
            awaitEnd(stopping);
            assertThat(controller.log).hasSize(messages + 1).endsWith("close null");
        });
    }
}
