package io.kcp.netty.reconnect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.OneName;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.reconnect.EventRecorder.Event;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipelineException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KcpReconnectTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration ANSWER = Duration.ofMillis(30);

    private final Loopback loopback = new Loopback(KcpTransport.best(), 2);
    private final EventRecorder events = new EventRecorder();
    private final ManualDelays delays = new ManualDelays();

    /** Writes one byte when the session becomes active, and ignores all messages. */
    @ChannelHandler.Sharable
    private static class Hello extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(ctx.alloc().buffer().writeByte('x'));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Ignores the failure, because the listener records it.
        }
    }

    /** Verifies that the sockets of all clients are closed. */
    @AfterEach
    void close() {
        events.sessions().forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
        loopback.close();
    }

    private KcpBootstrap client() {
        return client(loopback);
    }

    private static KcpBootstrap client(Loopback network) {
        return network.client(new Hello()).config(KcpConfig.fast3());
    }

    private KcpReconnectBuilder to(InetSocketAddress... addresses) {
        Queue<InetSocketAddress> next = new ArrayDeque<>(List.of(addresses));
        // The last one for ever.
        return KcpReconnect.to(client(), () -> next.size() > 1 ? next.remove() : next.element()).firstDelay(SHORT).maxDelay(LONG)
            .answerTimeout(LONG).listener(events);
    }

    /** Binds a server whose clients are not notified when it closes. */
    private KcpServerChannel server() {
        return server(Loopback.anyPort());
    }

    private KcpServerChannel server(InetSocketAddress address) {
        return loopback.bind(loopback.server(EchoHandler.INSTANCE).childOption(KcpChannelOption.CLOSE_NOTICE, false), address);
    }

    /** A socket that says nothing. */
    private InetSocketAddress nobody() {
        return (InetSocketAddress) loopback.datagramChannel(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ReferenceCountUtil.release(message);
            }
        }).localAddress();
    }

    private void assertEndsByOwnWill(KcpReconnect reconnect, Future<?> ended) throws InterruptedException {
        assertThat(events.next("ended").cause()).isNull();
        assertThat(Loopback.ended(ended).isSuccess()).isTrue();
        assertThat(reconnect.ended().isSuccess()).isTrue();
        assertThat(reconnect.session()).isNull();
        assertThat(events.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void sessionIsEstablishedWhenThePeerHasAnswered(KcpTransport transport) throws Exception {
        try (Loopback network = new Loopback(transport, 2)) {
            KcpServerChannel server = network.bind(EchoHandler.INSTANCE);
            KcpReconnect reconnect = KcpReconnect.to(client(network), server::localAddress).answerTimeout(LONG).listener(events)
                .start();
            Event opened = events.next("opened");
            assertThat(opened.attempt()).isEqualTo(1);
            assertThat(events.next("established").session()).isSameAs(opened.session()).isSameAs(reconnect.session());
            assertThat(opened.session().datagramChannel().pipeline().get(FirstResponse.class)).as("no longer needed").isNull();
            assertEndsByOwnWill(reconnect, reconnect.close());
            assertThat(opened.session().isOpen()).isFalse();
            assertThat(opened.session().closeCause()).as("what it wrote had arrived").isNull();
        }
    }

    @Test
    void sessionWhoseServerWentAwayIsReplacedWhenItIsBack() throws Exception {
        KcpServerChannel first = server(Loopback.freePort());
        KcpReconnect reconnect = to(first.localAddress()).answerTimeout(ANSWER).delays(delays).start();
        events.next("opened");
        KcpChannel session = events.next("established").session();
        assertThat(delays.next().isCancelled()).as("it need not wait for the answer any more").isTrue();
        Loopback.done(first.close());
        session.config().setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 300);
        session.writeAndFlush(session.alloc().buffer().writeByte('y'));
        Event lost = events.next("lost");
        assertThat(lost.session()).isSameAs(session);
        assertThat(lost.cause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
        assertThat(reconnect.session()).isNull();
        Event retry = events.next("retry");
        assertThat(retry.attempt()).isEqualTo(1);
        assertThat(retry.cause()).isSameAs(lost.cause());
        delays.pass(retry.delay());
        assertThat(events.next("opened").attempt()).isEqualTo(1);
        delays.pass(ANSWER);
        retry = events.next("retry");
        assertThat(retry.attempt()).isEqualTo(2);
        assertThat(retry.cause()).isInstanceOf(PeerAbsentException.class);
        loopback.bind(loopback.server(EchoHandler.INSTANCE), first.localAddress());
        delays.pass(retry.delay());
        Event next = events.next("opened");
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(events.next("established").session()).isSameAs(next.session()).isSameAs(reconnect.session()).isNotSameAs(session);
        assertThat(session.datagramChannel().isOpen()).isFalse();
        Loopback.result(reconnect.close());
    }

    @Test
    void givesUpAfterAsManyAttemptsAsAllowedWhenNobodyAnswers() throws Exception {
        long seed = 5;
        ReconnectDelay expected = new ReconnectDelay(20, 30, 0.5, new Random(seed)::nextDouble);
        KcpReconnect reconnect = to(nobody()).answerTimeout(ANSWER).firstDelay(Duration.ofMillis(20)).maxDelay(Duration.ofMillis(30))
            .random(new Random(seed)::nextDouble).maxAttempts(3).delays(delays).start();
        for (int attempt = 1; attempt <= 3; attempt++) {
            Event opened = events.next("opened");
            assertThat(opened.attempt()).isEqualTo(attempt);
            assertThat(events.isEmpty()).as("nothing happens before the time is over").isTrue();
            delays.pass(ANSWER);
            if (attempt < 3) {
                Event retry = events.next("retry");
                assertThat(retry.attempt()).isEqualTo(attempt + 1);
                assertThat(retry.delay()).as("seed %d", seed).isEqualTo(Duration.ofMillis(expected.delayMs(attempt)));
                assertThat(retry.cause()).isInstanceOf(PeerAbsentException.class).hasMessageContaining("within 30 ms")
                    .hasMessageContaining(opened.session().remoteAddress().toString());
                assertThat(events.isEmpty()).as("nothing happens before the time is over").isTrue();
                delays.pass(retry.delay());
            }
        }
        Event ended = events.next("ended");
        assertThat(ended.cause()).isInstanceOf(PeerAbsentException.class);
        assertThat(Loopback.ended(reconnect.ended()).cause()).isSameAs(ended.cause());
        assertThat(reconnect.session()).isNull();
        assertThat(events.sessions()).hasSize(3);
    }

    @Test
    void timeOfTheEventLoopPassesByItself() throws Exception {
        KcpReconnect reconnect = to(nobody()).answerTimeout(SHORT).maxAttempts(2).start();
        events.next("opened");
        events.next("retry");
        events.next("opened");
        assertThat(events.next("ended").cause()).isInstanceOf(PeerAbsentException.class);
        assertThat(Loopback.ended(reconnect.ended()).isSuccess()).isFalse();
    }

    @Test
    void addressIsAskedForBeforeEachAttempt() throws Exception {
        KcpServerChannel server = server();
        KcpReconnect reconnect = to(nobody(), nobody(), server.localAddress()).answerTimeout(ANSWER).delays(delays).start();
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(events.next("opened").attempt()).isEqualTo(attempt);
            if (attempt < 3) {
                delays.pass(ANSWER);
                delays.pass(events.next("retry").delay());
            }
        }
        assertThat(events.next("established").session().remoteAddress()).isEqualTo(server.localAddress());
        Loopback.result(reconnect.close());
    }

    @Test
    void sessionThatWasEstablishedBeginsTheCountsAnew() throws Exception {
        KcpServerChannel server = server();
        KcpReconnect reconnect = to(nobody(), server.localAddress()).answerTimeout(ANSWER).maxAttempts(2).jitter(0).delays(delays)
            .start();
        events.next("opened");
        delays.pass(ANSWER);
        events.next("retry");
        delays.pass(SHORT);
        assertThat(events.next("opened").attempt()).isEqualTo(2);
        for (int times = 0; times < 3; times++) {
            KcpChannel session = events.next("established").session();
            assertThat(delays.next().isCancelled()).isTrue();
            session.datagramChannel().close();
            assertThat(events.next("lost").session()).isSameAs(session);
            Event retry = events.next("retry");
            assertThat(retry.attempt()).isEqualTo(1);
            assertThat(retry.delay()).isEqualTo(SHORT);
            delays.pass(SHORT);
            assertThat(events.next("opened").attempt()).isEqualTo(1);
        }
        events.next("established");
        Loopback.result(reconnect.close());
    }

    @Test
    void aLostSessionIsReplacedEvenIfOneAttemptOnlyIsAllowed() throws Exception {
        KcpServerChannel server = server();
        KcpReconnect reconnect = to(server.localAddress(), server.localAddress(), nobody()).answerTimeout(ANSWER).maxAttempts(1)
            .delays(delays).start();
        for (int times = 0; times < 2; times++) {
            events.next("opened");
            events.next("established").session().datagramChannel().close();
            assertThat(delays.next().isCancelled()).isTrue();
            events.next("lost");
            delays.pass(events.next("retry").delay());
        }
        events.next("opened");
        delays.pass(ANSWER);
        assertThat(events.next("ended").cause()).isInstanceOf(PeerAbsentException.class);
        assertThat(Loopback.ended(reconnect.ended()).isSuccess()).isFalse();
    }

    @Test
    void applicationThatClosesTheSessionEndsIt() throws Exception {
        KcpReconnect reconnect = to(server().localAddress()).start();
        events.next("opened");
        KcpChannel session = events.next("established").session();
        Loopback.done(session.close());
        assertEndsByOwnWill(reconnect, reconnect.ended());
    }

    @Test
    void sessionThatTheApplicationClosesBecauseItFailedIsReplaced() throws Exception {
        KcpReconnect reconnect = to(server().localAddress()).start();
        events.next("opened");
        KcpChannel session = events.next("established").session();
        Loopback.done(session.closeBecause(new IllegalStateException("on purpose")));
        Event lost = events.next("lost");
        assertThat(lost.session()).isSameAs(session);
        assertThat(lost.cause()).hasRootCauseMessage("on purpose");
        assertThat(events.next("retry").cause()).isSameAs(lost.cause());
        events.next("opened");
        assertThat(events.next("established").session()).isSameAs(reconnect.session()).isNotSameAs(session);
        Loopback.result(reconnect.close());
    }

    @Test
    void closeThatCouldNotDeliverEverythingIsOwnWillToo() throws Exception {
        KcpServerChannel server = server();
        KcpReconnect reconnect = to(server.localAddress()).start();
        events.next("opened");
        KcpChannel session = events.next("established").session();
        Loopback.done(server.close());
        session.config().setOption(KcpChannelOption.LINGER_MS, 50);
        session.writeAndFlush(session.alloc().buffer().writeByte('y'));
        assertThat(Loopback.ended(session.close()).cause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED));
        assertEndsByOwnWill(reconnect, reconnect.ended());
    }

    @Test
    void closeBetweenTwoAttemptsEndsItAtOnce() throws Exception {
        KcpReconnect reconnect = to(nobody()).answerTimeout(SHORT).firstDelay(LONG).start();
        events.next("opened");
        events.next("retry");
        assertEndsByOwnWill(reconnect, reconnect.close());
        assertThat(Loopback.ended(reconnect.close()).isSuccess()).as("closed twice").isTrue();
        assertThat(events.isEmpty()).isTrue();
    }

    @Test
    void closeWhileTheAnswerIsAwaitedClosesTheSession() throws Exception {
        KcpReconnect reconnect = to(nobody()).answerTimeout(LONG).start();
        KcpChannel session = events.next("opened").session();
        assertEndsByOwnWill(reconnect, reconnect.close());
        assertThat(session.isOpen()).isFalse();
    }

    @Test
    void closeWhileANameIsResolvedEndsItWhenThatIsOver() throws Exception {
        OneName names = new OneName();
        KcpReconnect reconnect = KcpReconnect.to(client().resolver(names), () -> InetSocketAddress.createUnresolved("slow.example", 9))
            .listener(events).start();
        Future<?> ended = reconnect.close();
        names.answer(nobody());
        assertEndsByOwnWill(reconnect, ended);
        assertThat(events.sessions()).isEmpty();
    }

    @Test
    void closeFromWithinAnyEventEndsIt() throws Exception {
        for (String when : List.of("opened", "established", "lost", "retry")) {
            assertCloseWithinEndsIt(when);
        }
    }

    private static void assertCloseWithinEndsIt(String when) throws InterruptedException {
        // One loop, on which nothing happens before the array is filled.
        try (Loopback network = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = network.bind(EchoHandler.INSTANCE);
            KcpReconnect[] reconnect = {null};
            EventRecorder recorder = new EventRecorder() {
                @Override
                public void onOpened(KcpChannel session, int attempt) {
                    super.onOpened(session, attempt);
                    closeIf("opened");
                }

                @Override
                public void onEstablished(KcpChannel session) {
                    super.onEstablished(session);
                    closeIf("established");
                    session.datagramChannel().close();
                }

                @Override
                public void onLost(KcpChannel session, Throwable cause) {
                    super.onLost(session, cause);
                    closeIf("lost");
                }

                @Override
                public void onRetry(int attempt, Duration delay, Throwable cause) {
                    super.onRetry(attempt, delay, cause);
                    closeIf("retry");
                }

                private void closeIf(String event) {
                    if (event.equals(when)) {
                        reconnect[0].close();
                    }
                }
            };
            network.group().submit(() -> {
                reconnect[0] = KcpReconnect.to(client(network), server::localAddress).firstDelay(SHORT).answerTimeout(LONG)
                    .listener(recorder).start();
            }).sync();
            assertThat(Loopback.ended(reconnect[0].ended()).isSuccess()).as(when).isTrue();
            recorder.sessions().forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
        }
    }

    @Test
    void renewLeavesTheSessionAndOpensAnother() throws Exception {
        KcpReconnect reconnect = to(server().localAddress(), server().localAddress()).start();
        events.next("opened");
        KcpChannel first = events.next("established").session();
        IOException reason = new IOException("the gateway stops");
        reconnect.renew(reason);
        Event lost = events.next("lost");
        assertThat(lost.session()).isSameAs(first);
        assertThat(lost.cause()).isSameAs(reason);
        assertThat(events.next("retry").cause()).isSameAs(reason);
        KcpChannel second = events.next("opened").session();
        assertThat(events.next("established").session()).isSameAs(second).isSameAs(reconnect.session());
        assertThat(second.remoteAddress()).isNotEqualTo(first.remoteAddress());
        Loopback.done(first.closeFuture());
        assertThat(first.closeCause()).isNull();
        Loopback.result(reconnect.close());
        events.next("ended");
        reconnect.renew(reason);
        assertThat(events.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void serverThatSendsAwayWithItsFirstWordIsAskedAgainAfterTheFirstDelay(int loops) throws Exception {
        IOException sentAway = new IOException("the gateway stops");
        assertFirstWordBeginsTheCountsAnew(loops, (reconnect, session) -> reconnect.renew(sentAway), sentAway.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void firstWordThatMakesNoSenseIsAnAnswerToo(int loops) throws Exception {
        assertFirstWordBeginsTheCountsAnew(loops,
            (reconnect, session) -> session.closeBecause(new IllegalStateException("no sense")), "no sense");
    }

    /** The server responds to the hello with acknowledgement and message in one datagram. */
    private void assertFirstWordBeginsTheCountsAnew(int loops, BiConsumer<KcpReconnect, KcpChannel> leave, String why)
        throws InterruptedException {
        try (Loopback network = new Loopback(KcpTransport.best(), loops)) {
            KcpServerChannel server = network.bind(network.server(EchoHandler.INSTANCE).config(KcpConfig.fast3()));
            CompletableFuture<KcpReconnect> started = new CompletableFuture<>();
            Hello leaving = new Hello() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    super.channelRead(ctx, message);
                    started.thenAccept(reconnect -> leave.accept(reconnect, (KcpChannel) ctx.channel()));
                }
            };
            KcpReconnect reconnect = KcpReconnect.to(network.client(leaving).config(KcpConfig.fast3()), server::localAddress)
                .answerTimeout(LONG).firstDelay(SHORT).maxDelay(LONG).jitter(0).maxAttempts(2).delays(delays).listener(events).start();
            started.complete(reconnect);
            for (int times = 1; times <= 5; times++) {
                Event opened = events.next("opened");
                assertThat(opened.attempt()).isEqualTo(1);
                assertThat(events.next("established").session()).isSameAs(opened.session());
                Event lost = events.next("lost");
                assertThat(lost.session()).isSameAs(opened.session());
                assertThat(lost.cause()).hasStackTraceContaining(why);
                assertThat(delays.next().isCancelled()).as("it need not wait for the answer any more").isTrue();
                Event retry = events.next("retry");
                assertThat(retry.attempt()).isEqualTo(1);
                assertThat(retry.delay()).isEqualTo(SHORT);
                if (times < 5) {
                    delays.pass(SHORT);
                }
            }
            assertEndsByOwnWill(reconnect, reconnect.close());
        }
    }

    /** Any WINS may be forged, or come from a server that knows nothing of the session. */
    @Test
    void windowAdvertisementsAreNoAnswerToAMessage() throws Exception {
        AtomicInteger command = new AtomicInteger(SegmentHeader.CMD_WINS);
        InetSocketAddress peer = (InetSocketAddress) loopback.datagramChannel(new SimpleChannelInboundHandler<DatagramPacket>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                ByteBuf push = packet.content();
                ByteBuf answer = ctx.alloc().buffer();
                int una = command.get() == SegmentHeader.CMD_ACK ? 1 : 0;
                SegmentHeader.write(answer, SegmentHeader.conv(push, 0), command.get(), 0, 128, SegmentHeader.ts(push, 0), 0, una, 0);
                ctx.writeAndFlush(new DatagramPacket(answer, packet.sender()));
            }
        }).localAddress();
        KcpReconnect reconnect = to(peer).answerTimeout(ANSWER).delays(delays).start();
        KcpChannel session = events.next("opened").session();
        ManualDelays.Delay wait = delays.next();
        await().atMost(Duration.ofSeconds(Loopback.PATIENCE_S))
            .until(() -> Loopback.result(session.collectStats()).counters().segmentsIn() >= 2);
        assertThat(wait.isCancelled()).as("it waits for the answer").isFalse();
        assertThat(events.isEmpty()).isTrue();
        command.set(SegmentHeader.CMD_ACK);
        assertThat(events.next("established").session()).isSameAs(session);
        assertEndsByOwnWill(reconnect, reconnect.close());
    }

    @Test
    void sessionThatIsLeftBeforeAnyAnswerIsAFailure() throws Exception {
        KcpReconnect reconnect = to(nobody()).jitter(0).maxAttempts(3).delays(delays).start();
        IOException reason = new IOException("takes too long");
        for (int attempt = 1; attempt <= 3; attempt++) {
            KcpChannel session = events.next("opened").session();
            assertThat(delays.next().length()).isEqualTo(LONG);
            session.config().setOption(KcpChannelOption.LINGER_MS, 0);
            reconnect.renew(reason);
            if (attempt < 3) {
                Event retry = events.next("retry");
                assertThat(retry.attempt()).isEqualTo(attempt + 1);
                assertThat(retry.delay()).isEqualTo(SHORT.multipliedBy(attempt));
                delays.pass(retry.delay());
            }
        }
        assertThat(events.next("ended").cause()).isSameAs(reason);
        assertThat(Loopback.ended(reconnect.ended()).isSuccess()).isFalse();
    }

    @Test
    void ruleOfTheApplicationEndsIt() throws Exception {
        UncheckedIOException directoryDown = new UncheckedIOException(new IOException("directory down"));
        int[] asked = {0};
        KcpReconnect reconnect = KcpReconnect.to(client(), () -> {
            asked[0]++;
            throw directoryDown;
        }).firstDelay(SHORT).giveUpIf(cause -> cause == directoryDown && asked[0] == 3).listener(events).start();
        assertThat(events.next("retry").attempt()).isEqualTo(2);
        assertThat(events.next("retry").attempt()).isEqualTo(3);
        assertThat(events.next("ended").cause()).isSameAs(directoryDown);
        assertThat(Loopback.ended(reconnect.ended()).cause()).isSameAs(directoryDown);
        assertThat(asked[0]).isEqualTo(3);
    }

    @Test
    void noSocketToBeHadIsAFailureLikeAnother() throws Exception {
        InetSocketAddress taken = nobody();
        KcpReconnect reconnect = KcpReconnect.to(client().localAddress(taken), server()::localAddress).firstDelay(SHORT).maxAttempts(2)
            .listener(events).start();
        assertThat(events.next("retry").cause()).isInstanceOf(IOException.class);
        events.next("ended");
        assertThat(Loopback.ended(reconnect.ended()).isSuccess()).isFalse();
    }

    @Test
    void mistakesOfTheProgramAreNotRepeated() throws Exception {
        KcpServerChannel server = server();
        KcpReconnect.to(new KcpBootstrap().group(loopback.group()), server::localAddress).listener(events).start();
        assertThat(events.next("ended").cause()).isInstanceOf(IllegalStateException.class).hasMessageContaining("handler");
        KcpReconnect.to(client().option(KcpChannelOption.INTERVAL_MS, 1), server::localAddress).listener(events).start();
        assertThat(events.next("ended").cause()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("intervalMs: 1");
        ChannelHandler once = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                ctx.writeAndFlush(ctx.alloc().buffer().writeByte('x'));
            }

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ReferenceCountUtil.release(message);
            }
        };
        KcpReconnect.to(loopback.client(once), server::localAddress).firstDelay(SHORT).answerTimeout(LONG).listener(events).start();
        events.next("opened");
        events.next("established").session().datagramChannel().close();
        events.next("lost");
        events.next("retry");
        assertThat(events.next("ended").cause()).isInstanceOf(ChannelPipelineException.class).hasMessageContaining("Sharable");
    }

    @Test
    void listenerAndRuleThatThrowEndNothing() throws Exception {
        InetSocketAddress server = server().localAddress();
        EventRecorder throwing = new EventRecorder() {
            @Override
            public void onOpened(KcpChannel session, int attempt) {
                super.onOpened(session, attempt);
                throw new IllegalStateException("opened");
            }

            @Override
            public void onLost(KcpChannel session, Throwable cause) {
                super.onLost(session, cause);
                throw new AssertionError("lost");
            }
        };
        KcpReconnect reconnect = KcpReconnect.to(client(), () -> server).firstDelay(SHORT).answerTimeout(LONG).giveUpIf(cause -> {
            throw new IllegalStateException("rule");
        }).listener(throwing).start();
        throwing.next("opened");
        throwing.next("established").session().datagramChannel().close();
        throwing.next("lost");
        throwing.next("retry");
        throwing.next("opened");
        throwing.next("established");
        Loopback.result(reconnect.close());
        throwing.sessions().forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
    }

    @Test
    void loopsThatShutDownEndItWhateverItDoes() throws Exception {
        KcpServerChannel server = server();
        InetSocketAddress nobody = nobody();
        for (String state : List.of("established", "opened", "retry")) {
            EventLoopGroup own = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
            EventRecorder recorder = new EventRecorder();
            KcpBootstrap bootstrap = new KcpBootstrap().group(own).handler(new Hello())
                .option(ChannelOption.ALLOCATOR, loopback.allocator()).socketOption(ChannelOption.ALLOCATOR, loopback.allocator());
            KcpReconnect reconnect = KcpReconnect.to(bootstrap, state.equals("established") ? server::localAddress : () -> nobody)
                .answerTimeout(state.equals("retry") ? SHORT : LONG).firstDelay(LONG).maxDelay(LONG).listener(recorder).start();
            Stream.of("opened", state).distinct().forEach(event -> {
                try {
                    recorder.next(event);
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            });
            own.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS);
            Loopback.ended(reconnect.ended());
            assertThat(reconnect.ended().isSuccess()).as(state).isFalse();
            assertThat(reconnect.ended().cause()).as(state).isInstanceOfAny(ClosedChannelException.class, KcpCloseException.class);
            Loopback.ended(own.terminationFuture());
            recorder.sessions().forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
            assertThat(Loopback.ended(reconnect.close()).isSuccess()).as("too late").isFalse();
            reconnect.renew(new IOException("too late"));
            assertThat(reconnect.session()).isNull();
        }
    }

    @Test
    void loopThatHasEndedFailsAtOnce() {
        EventLoopGroup own = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        Loopback.ended(own.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS));
        KcpReconnect reconnect = KcpReconnect.to(new KcpBootstrap().group(own).handler(new Hello()), Loopback::anyPort).start();
        assertThat(Loopback.ended(reconnect.ended()).cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void manySessionsThatAreLostAllComeBack() throws Exception {
        KcpServerChannel server = server();
        KcpBootstrap shared = client();
        int clients = 50;
        List<EventRecorder> recorders = Stream.generate(EventRecorder::new).limit(clients).toList();
        List<KcpReconnect> reconnects = recorders.stream()
            .map(recorder -> KcpReconnect.to(shared, server::localAddress).firstDelay(SHORT).answerTimeout(LONG).listener(recorder)
                .start()).toList();
        for (EventRecorder recorder : recorders) {
            recorder.next("opened");
            recorder.next("established").session().datagramChannel().close();
        }
        for (EventRecorder recorder : recorders) {
            recorder.next("lost");
            recorder.next("retry");
            recorder.next("opened");
            recorder.next("established");
        }
        reconnects.forEach(reconnect -> Loopback.result(reconnect.close()));
        recorders.forEach(recorder -> assertThat(recorder.sessions()).hasSize(2)
            .allSatisfy(session -> Loopback.ended(session.datagramChannel().closeFuture())).extracting(KcpChannel::datagramChannel)
            .noneMatch(Channel::isOpen));
    }

    private int[] watchOf(KcpReconnectBuilder builder) throws InterruptedException {
        KcpReconnect reconnect = builder.answerTimeout(LONG).listener(events).start();
        KcpChannelConfig config = events.next("opened").session().config();
        int[] watch = {config.keepaliveMs(), config.kcp().deadPeerTimeoutMs()};
        events.next("established");
        assertEndsByOwnWill(reconnect, reconnect.close());
        return watch;
    }

    @Test
    void vanishedServersAreNoticedWithinTenSecondsUnlessSetOtherwise() throws Exception {
        KcpServerChannel server = server();
        assertThat(watchOf(KcpReconnect.to(client(), server::localAddress))).containsExactly(3_000, 6_000);
        assertThat(watchOf(KcpReconnect.to(client().config(KcpConfig.kcpGoCompatible()).option(KcpChannelOption.KEEPALIVE_MS, 0),
            server::localAddress))).as("off").containsExactly(3_000, 6_000);
        assertThat(watchOf(KcpReconnect.to(client().option(KcpChannelOption.KEEPALIVE_MS, 2_000)
            .option(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 1_500), server::localAddress))).as("shorter").containsExactly(2_000, 1_500);
        assertThat(watchOf(KcpReconnect.to(client(), server::localAddress).keepalive(Duration.ofSeconds(20))
            .deadPeerTimeout(Duration.ZERO))).containsExactly(20_000, 0);
    }

    @Test
    void settingsOutOfRangeAreRefusedByName() {
        KcpReconnectBuilder builder = KcpReconnect.to(client(), Loopback::anyPort);
        assertThatThrownBy(() -> builder.firstDelay(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("firstDelay: PT0S");
        assertThatThrownBy(() -> builder.maxDelay(Duration.ofDays(366))).hasMessageContaining("maxDelay: ");
        assertThatThrownBy(() -> builder.answerTimeout(Duration.ofSeconds(Long.MAX_VALUE))).hasMessageContaining("answerTimeout: ");
        assertThatThrownBy(() -> builder.keepalive(Duration.ofMillis(999))).hasMessageContaining("keepalive: PT0.999S");
        assertThatThrownBy(() -> builder.deadPeerTimeout(Duration.ofDays(2))).hasMessageContaining("deadPeerTimeout: PT48H");
        assertThatThrownBy(() -> builder.jitter(1.01)).hasMessageContaining("jitter: 1.01");
        assertThatThrownBy(() -> builder.jitter(Double.NaN)).hasMessageContaining("jitter: NaN");
        assertThatThrownBy(() -> builder.maxAttempts(0)).hasMessageContaining("maxAttempts: 0");
        assertThatThrownBy(() -> builder.firstDelay(LONG).start()).hasMessageContaining("maxDelay: PT10S")
            .hasMessageContaining("PT1H");
        assertThatThrownBy(() -> KcpReconnect.to(new KcpBootstrap(), Loopback::anyPort)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("group");
    }
}
