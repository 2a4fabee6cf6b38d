package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.channel.ServingQueue;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.socket.ReceiveReserve;
import io.kcp.netty.internal.socket.ReservedReads;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.net.DatagramSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A read batch ends when it contains a large part of a peer's send window, so that the peer does not have to wait. */
@Timeout(60)
class ServingQueueEndTest {

    private static final int CONV = 7;
    private static final int SEGMENTS_PER_DATAGRAM = 10;
    /** A quarter of the window fills ten datagrams. */
    private static final int WINDOW = 400;

    /** Records the requests to end a read batch. */
    private static final class CountingReads extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

        private int ends;
        private boolean endsEarly;

        @Override
        @SuppressWarnings("deprecation") // return type of the supertype
        public RecvByteBufAllocator.Handle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public int guess() {
                    return 2_048;
                }
            };
        }

        @Override
        public void useReserve(ReceiveReserve reserve) {
            // Tests of other classes cover the reserve.
        }

        @Override
        public void requestEnd() {
            ends++;
        }

        @Override
        public boolean endedEarly() {
            return endsEarly;
        }
    }

    private final CountingReads reads = new CountingReads();
    /** Number of requests before each datagram of the latest batch, and before its end. */
    private final List<Integer> endsBefore = new ArrayList<>();
    private Runnable onDatagram = () -> { };
    private Runnable afterBatch = () -> { };

    private EmbeddedLink link(Supplier<SessionRecorder> recorders) {
        return link(server -> server.amplificationLimit(false), recorders);
    }

    private EmbeddedLink link(Consumer<KcpHandlerBuilder> settings, Supplier<SessionRecorder> recorders) {
        EmbeddedLink link = EmbeddedLink.create(server -> settings.accept(server.childOption(KcpChannelOption.RECEIVE_WINDOW, WINDOW)),
            recorders, this::observe, client -> {
            });
        link.server().loseAll();
        // The first batch of an event loop is late.
        receive(link, 0, 1);
        assertThat(endsBefore).containsOnly(0);
        return link;
    }

    private void observe(Channel server) {
        server.config().setRecvByteBufAllocator(reads);
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object datagram) {
                endsBefore.add(reads.ends);
                onDatagram.run();
                ctx.fireChannelRead(datagram);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                endsBefore.add(reads.ends);
                ctx.fireChannelReadComplete();
                afterBatch.run();
            }
        });
    }

    /** Delivers datagrams in one batch. */
    private void receive(EmbeddedLink link, int first, int end) {
        endsBefore.clear();
        reads.ends = 0;
        link.server().receive(EmbeddedLink.CLIENT_ADDRESS, IntStream.range(first, end)
            .mapToObj(datagram -> WireSegment.datagram(link.allocator(), segments(datagram))).toArray(ByteBuf[]::new));
    }

    private static WireSegment[] segments(int datagram) {
        WireSegment[] segments = new WireSegment[SEGMENTS_PER_DATAGRAM];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = WireSegment.push(CONV, datagram * SEGMENTS_PER_DATAGRAM + i, 0, "m");
        }
        return segments;
    }

    @Test
    void batchEndsAfterAQuarterOfTheWindow() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            receive(link, 1, 11);
            assertThat(endsBefore).as("requests before each datagram and before the end").hasSize(11).endsWith(0, 1);
            assertThat(link.accepted(0).messages()).hasSize(110);
            receive(link, 11, 20);
            assertThat(endsBefore).as("the acknowledgement was sent when the batch ended").containsOnly(0);
            receive(link, 20, 30);
            assertThat(endsBefore).hasSize(11).endsWith(0, 1);
        }
    }

    @Test
    void datagramsThatWereReadTogetherBelongToTheEndedBatch() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            int flushes = link.server().flushes();
            receive(link, 1, 31);
            assertThat(link.accepted(0).messages()).hasSize(310);
            assertThat(link.server().flushes() - flushes).isEqualTo(1);
            assertThat(reads.ends).as("one request per quarter").isEqualTo(3);
        }
    }

    @Test
    void lateEventLoopDoesNotEndTheBatchEarly() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            link.passMs(5);
            receive(link, 1, 21);
            assertThat(reads.ends).as("acknowledgements may be waiting in the socket").isZero();
            link.passMs(4);
            receive(link, 21, 31);
            assertThat(reads.ends).isEqualTo(1);
        }
    }

    @Test
    void unvalidatedSessionDoesNotEndTheBatchEarly() {
        try (EmbeddedLink link = link(server -> server.amplificationLimit(true), SessionRecorder::new)) {
            receive(link, 1, 21);
            assertThat(link.accepted(0).messages()).hasSize(210);
            assertThat(reads.ends).isZero();
        }
    }

    /** A hostile session sends the segments of a quarter of its window in few datagrams. */
    @Test
    void batchOfFewDatagramsDoesNotEndEarly() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            WireSegment[] segments = IntStream.range(10, 60).mapToObj(sn -> WireSegment.push(CONV, sn, 0, "")).toArray(WireSegment[]::new);
            WireSegment[] others = IntStream.range(60, 110).mapToObj(sn -> WireSegment.push(CONV, sn, 0, "")).toArray(WireSegment[]::new);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.datagram(link.allocator(), segments),
                WireSegment.datagram(link.allocator(), others));
            assertThat(link.accepted(0).messages()).hasSize(110);
            assertThat(reads.ends).isZero();
        }
    }

    /** The handlers take so long that a slice serves only the first session. */
    @Test
    void batchDoesNotEndEarlyWhileSessionsWait() {
        AtomicReference<EmbeddedLink> created = new AtomicReference<>();
        try (EmbeddedLink link = link(() -> new SessionRecorder().onRead((ctx, text) -> {
            if (text.equals("slow")) {
                created.get().ticker.advance(ServingQueue.SLICE_MICROS, TimeUnit.MICROSECONDS);
            }
        }))) {
            created.set(link);
            link.server().channel().pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelReadComplete(ChannelHandlerContext ctx) {
                    // Datagrams arrive before the event loop serves the remaining sessions.
                    if (created.getAndSet(null) != null) {
                        receive(link, 1, 21);
                    }
                }
            });
            ByteBuf[] slow = IntStream.range(CONV + 1, CONV + 4)
                .mapToObj(conv -> WireSegment.datagram(link.allocator(), WireSegment.push(conv, 0, 0, "slow"))).toArray(ByteBuf[]::new);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, slow);
            assertThat(created.get()).as("the remaining sessions waited").isNull();
            assertThat(reads.ends).isZero();
        }
    }

    @Test
    void batchDoesNotEndEarlyWhileTheSocketIsNotWritable() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            link.server().channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
            receive(link, 1, 21);
            assertThat(reads.ends).isZero();
            link.server().channel().unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        }
    }

    @Test
    void manySuccessiveEarlyEndsAreABacklog() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            LoopContext context = LoopContext.of(link.server().channel().eventLoop());
            reads.endsEarly = true;
            for (int datagram = 1; datagram < ServingQueue.MAX_UNDRAINED_DATAGRAMS; datagram += 2) {
                assertThat(context.isBehind()).as("before datagram %d", datagram).isFalse();
                receive(link, datagram, datagram + 2);
            }
            assertThat(context.isBehind()).isTrue();
            reads.endsEarly = false;
            receive(link, ServingQueue.MAX_UNDRAINED_DATAGRAMS + 1, ServingQueue.MAX_UNDRAINED_DATAGRAMS + 2);
            assertThat(context.isBehind()).as("the socket is empty").isFalse();
        }
    }

    @Test
    void sessionThatDoesNotReadEndsOneBatchPerQuarter() {
        try (EmbeddedLink link = link(() -> new SessionRecorder().onActive(ctx -> ctx.channel().config().setAutoRead(false)))) {
            receive(link, 1, 11);
            assertThat(reads.ends).isEqualTo(1);
            receive(link, 11, 20);
            assertThat(reads.ends).isZero();
        }
    }

    @Test
    void timeForReadingTheDatagramsDoesNotShortenTheDelivery() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            List<Integer> delivered = new ArrayList<>();
            onDatagram = () -> link.passMs(1);
            afterBatch = () -> delivered.add(link.accepted(0).messages().size());
            receive(link, 1, 6);
            assertThat(delivered).as("when the batch ends").containsExactly(60);
        }
    }

    @Test
    void failureWhenABatchBeginsReleasesTheDatagram() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            link.failClock(1);
            receive(link, 1, 2);
            assertThat(link.failClock(0)).as("unused failures").isZero();
            assertThat(link.server().dropped(DropReason.OUT_OF_MEMORY)).isEqualTo(1);
        }
    }

    private static ChannelInitializer<KcpChannel> sessionsOf(SessionRecorder recorder) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(recorder);
            }
        };
    }

    /** Returns the total number of delivered messages after each event-loop iteration that delivered messages. */
    private static List<Integer> deliveredPerIteration(int datagrams, int window) throws IOException {
        assumeTrue(KcpTransport.EPOLL.isAvailable(), "epoll does not work here");
        SessionRecorder recorder = new SessionRecorder();
        List<Integer> delivered = new ArrayList<>();
        try (ServerOnTestThread server = new ServerOnTestThread(KcpTransport.EPOLL);
            DatagramSocket client = ServerOnTestThread.newClient()) {
            server.bind(new KcpServerBootstrap().childHandler(sessionsOf(recorder)).amplificationLimit(false)
                .childOption(KcpChannelOption.RECEIVE_WINDOW, window));
            for (int i = 0; i < datagrams; i++) {
                server.sendFrom(client, segments(i));
            }
            int messages = datagrams * SEGMENTS_PER_DATAGRAM;
            server.runUntil(() -> {
                int before = delivered.isEmpty() ? 0 : delivered.get(delivered.size() - 1);
                if (recorder.messages().size() > before) {
                    delivered.add(recorder.messages().size());
                }
                return recorder.messages().size() == messages;
            });
        }
        return delivered;
    }

    @Test
    void iterationOfTheEventLoopDeliversAPartOfALargeWindow() throws IOException {
        List<Integer> delivered = deliveredPerIteration(200, 512);
        assertThat(delivered).as("messages delivered after each iteration").hasSizeGreaterThan(3).endsWith(2_000);
    }
}
