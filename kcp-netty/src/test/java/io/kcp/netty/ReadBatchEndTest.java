package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.socket.ReceiveReserve;
import io.kcp.netty.socket.ReservedReads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A read batch ends when it contains a large part of a peer's send window, so that the peer does not have to wait. */
@Timeout(60)
class ReadBatchEndTest {

    private static final int CONV = 7;
    private static final int SEGMENTS_PER_DATAGRAM = 50;
    private static final int WINDOW = 400;
    /** Number of datagrams that contain a quarter of the window. */
    private static final int QUARTER_DATAGRAMS = 2;
    private static final int MAX_ITERATIONS = 1_000;

    /** Records the requests to end a read batch. */
    private static final class CountingReads extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

        private int ends;

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
        public void endBatch() {
            ends++;
        }
    }

    private final CountingReads reads = new CountingReads();
    /** Number of requests before each datagram of the latest batch, and before its end. */
    private final List<Integer> endsBefore = new ArrayList<>();

    private EmbeddedLink link(Supplier<SessionRecorder> recorders) {
        EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, WINDOW), recorders,
            this::observe, client -> {
            });
        link.server().loseAll();
        return link;
    }

    private void observe(Channel server) {
        server.config().setRecvByteBufAllocator(reads);
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object datagram) {
                endsBefore.add(reads.ends);
                ctx.fireChannelRead(datagram);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                endsBefore.add(reads.ends);
                ctx.fireChannelReadComplete();
            }
        });
    }

    private void receive(EmbeddedLink link, int... datagrams) {
        endsBefore.clear();
        reads.ends = 0;
        ByteBuf[] batch = new ByteBuf[datagrams.length];
        for (int i = 0; i < batch.length; i++) {
            batch[i] = WireSegment.datagram(link.allocator(), segments(datagrams[i]));
        }
        link.server().receive(EmbeddedLink.CLIENT_ADDRESS, batch);
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
            receive(link, 0, 1);
            assertThat(endsBefore).containsExactly(0, 0, 1);
            assertThat(link.accepted(0).messages()).hasSize(QUARTER_DATAGRAMS * SEGMENTS_PER_DATAGRAM);
            receive(link, 2);
            assertThat(endsBefore).as("the acknowledgement was sent when the batch ended").containsExactly(0, 0);
            receive(link, 3, 4);
            assertThat(endsBefore).containsExactly(0, 0, 1);
        }
    }

    @Test
    void datagramsThatWereReadTogetherBelongToTheEndedBatch() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            receive(link, 0, 1, 2, 3, 4, 5);
            assertThat(link.accepted(0).messages()).hasSize(6 * SEGMENTS_PER_DATAGRAM);
            assertThat(link.server().flushes()).isEqualTo(1);
            link.server().take();
            assertThat(link.server().sent().segments(SegmentHeader.CMD_ACK)).hasSize(1);
        }
    }

    @Test
    void duplicatesAndSegmentsBehindAGapDoNotEndTheBatch() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            receive(link, 0, 0, 0, 0, 0, 0);
            assertThat(endsBefore).containsOnly(0);
            receive(link, 2, 3, 4, 5);
            assertThat(endsBefore).containsOnly(0);
        }
    }

    @Test
    void sessionThatDoesNotReadEndsOneBatchPerQuarter() {
        try (EmbeddedLink link = link(() -> new SessionRecorder().onActive(ctx -> ctx.channel().config().setAutoRead(false)))) {
            receive(link, 0, 1);
            assertThat(endsBefore).containsExactly(0, 0, 1);
            receive(link, 2);
            assertThat(endsBefore).containsExactly(0, 0);
        }
    }

    @Test
    void failureWhenABatchBeginsReleasesTheDatagram() {
        try (EmbeddedLink link = link(SessionRecorder::new)) {
            receive(link, 0);
            link.failClock(1);
            receive(link, 1);
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

    private static void runUntil(ManualIoEventLoop loop, BooleanSupplier condition) {
        for (int i = 0; i < MAX_ITERATIONS && !condition.getAsBoolean(); i++) {
            loop.runNow();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    /** Returns the numbers of messages that were delivered after each iteration of an event loop whose socket contains datagrams. */
    private static List<Integer> deliveredPerIteration(int datagrams, int window) throws IOException {
        assumeTrue(KcpTransport.EPOLL.isAvailable(), "epoll does not work here");
        MockTicker clock = Ticker.newMockTicker();
        ManualIoEventLoop loop = new ManualIoEventLoop(null, Thread.currentThread(), KcpTransport.EPOLL.ioHandlerFactory(), clock);
        SessionRecorder recorder = new SessionRecorder();
        KcpFuture<KcpServerChannel> bound = new KcpServerBootstrap().group(loop).childHandler(sessionsOf(recorder))
            .childOption(KcpChannelOption.RECEIVE_WINDOW, window).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        runUntil(loop, bound::isDone);
        List<Integer> delivered = new ArrayList<>();
        try (DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < datagrams; i++) {
                ByteBuf datagram = WireSegment.datagram(UnpooledByteBufAllocator.DEFAULT, segments(i));
                byte[] bytes = ByteBufUtil.getBytes(datagram);
                datagram.release();
                client.send(new DatagramPacket(bytes, bytes.length, bound.channel().localAddress()));
            }
            int messages = datagrams * SEGMENTS_PER_DATAGRAM;
            runUntil(loop, () -> {
                int before = delivered.isEmpty() ? 0 : delivered.get(delivered.size() - 1);
                if (recorder.messages().size() > before) {
                    delivered.add(recorder.messages().size());
                }
                return recorder.messages().size() == messages;
            });
        }
        Future<?> terminated = loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        runUntil(loop, terminated::isDone);
        return delivered;
    }

    @Test
    void iterationOfTheEventLoopDeliversAPartOfALargeWindow() throws IOException {
        List<Integer> delivered = deliveredPerIteration(60, 1_024);
        assertThat(delivered).as("messages delivered after each iteration").hasSizeGreaterThan(3).endsWith(3_000);
    }
}
