package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A read batch that contains a large part of a peer's send window acknowledges this part before the batch ends. */
class ReadBatchStallTest {

    private static final int CONV = 7;
    private static final int SEGMENTS_PER_DATAGRAM = 50;
    private static final int WINDOW = 400;
    /** Number of datagrams that contain a quarter of the window. */
    private static final int QUARTER_DATAGRAMS = 2;

    private final List<Integer> acksBeforeRead = new ArrayList<>();
    private EmbeddedLink link = EmbeddedLink.create();

    @AfterEach
    void closeLink() {
        link.close();
    }

    /** Replaces the link by one whose server records how many ACKs it had sent when a datagram arrived, and when the batch ended. */
    private void create(int maxMessages, Supplier<SessionRecorder> recorders) {
        link.close();
        link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, WINDOW)
            .childOption(KcpChannelOption.MAX_MESSAGES_PER_ITERATION, maxMessages), recorders);
        link.server().loseAll();
        link.server().channel().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object datagram) {
                acksBeforeRead.add(sentAcks());
                ctx.fireChannelRead(datagram);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                acksBeforeRead.add(sentAcks());
                ctx.fireChannelReadComplete();
            }
        });
    }

    private int sentAcks() {
        link.server().take().forEach(ByteBuf::release);
        return link.server().sent().segments(SegmentHeader.CMD_ACK).size();
    }

    private ByteBuf[] datagrams(int first, int count) {
        ByteBuf[] datagrams = new ByteBuf[count];
        for (int i = 0; i < count; i++) {
            WireSegment[] segments = new WireSegment[SEGMENTS_PER_DATAGRAM];
            for (int j = 0; j < segments.length; j++) {
                segments[j] = WireSegment.push(CONV, (first + i) * SEGMENTS_PER_DATAGRAM + j, 0, "m");
            }
            datagrams[i] = WireSegment.datagram(link.allocator(), segments);
        }
        return datagrams;
    }

    private void receive(ByteBuf... datagrams) {
        link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagrams);
    }

    @Test
    void eachQuarterOfTheWindowIsAcknowledgedWhileTheBatchContinues() {
        create(0, SessionRecorder::new);
        receive(datagrams(0, 3 * QUARTER_DATAGRAMS + 1));
        assertThat(acksBeforeRead).as("ACKs before each datagram and before the end of the batch")
            .containsExactly(0, 0, 1, 1, 2, 2, 3, 3);
        assertThat(sentAcks()).as("ACKs after the batch").isEqualTo(4);
        assertThat(link.accepted(0).messages()).hasSize(350);
    }

    @Test
    void peerMaySendMoreThanItsWindowInOneBatchBecauseMessagesAreDelivered() {
        create(0, SessionRecorder::new);
        receive(datagrams(0, 20));
        assertThat(link.accepted(0).messages()).hasSize(1_000);
    }

    @Test
    void shortBatchIsAcknowledgedAtItsEnd() {
        create(0, SessionRecorder::new);
        receive(datagrams(0, 1));
        assertThat(acksBeforeRead).containsExactly(0, 0);
        assertThat(sentAcks()).isEqualTo(1);
    }

    @Test
    void duplicatesAreAcknowledgedAtTheEndOfTheBatch() {
        create(0, SessionRecorder::new);
        receive(datagrams(0, QUARTER_DATAGRAMS));
        int before = sentAcks();
        acksBeforeRead.clear();
        for (int i = 0; i < 20; i++) {
            for (ByteBuf datagram : datagrams(0, QUARTER_DATAGRAMS)) {
                link.server().channel().writeOneInbound(new DatagramPacket(datagram, EmbeddedLink.SERVER_ADDRESS,
                    EmbeddedLink.CLIENT_ADDRESS));
            }
        }
        assertThat(acksBeforeRead).hasSize(20 * QUARTER_DATAGRAMS).containsOnly(before);
        link.server().channel().flushInbound();
        assertThat(sentAcks() - before).as("limited by the receive window").isLessThanOrEqualTo(WINDOW);
    }

    @Test
    void segmentsBehindAGapAreAcknowledgedAtTheEndOfTheBatch() {
        create(0, SessionRecorder::new);
        receive(datagrams(1, 3 * QUARTER_DATAGRAMS));
        assertThat(acksBeforeRead).containsOnly(0);
    }

    @Test
    void limitOfAnIterationAppliesToTheWholeBatch() {
        List<Integer> deliveredPerBatch = new ArrayList<>();
        create(120, SessionRecorder::new);
        link.server().channel().pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                deliveredPerBatch.add(link.accepted(0).messages().size());
            }
        });
        receive(datagrams(0, 3 * QUARTER_DATAGRAMS));
        assertThat(deliveredPerBatch).containsExactly(120);
        link.advanceMs(0);
        assertThat(link.accepted(0).messages()).as("the rest follows without a pause").hasSize(300);
        receive(datagrams(3 * QUARTER_DATAGRAMS, 1));
        receive(datagrams(3 * QUARTER_DATAGRAMS + 1, 1));
        assertThat(deliveredPerBatch).as("earlier batches do not count").endsWith(350, 400);
    }

    @Test
    void slowHandlersDelayReadingForOneSlice() {
        int microsPerMessage = ReadBatch.SLICE_MICROS / SEGMENTS_PER_DATAGRAM;
        create(0, () -> new SessionRecorder().onRead((ctx, text) -> link.ticker.advance(microsPerMessage, TimeUnit.MICROSECONDS)));
        receive(datagrams(0, 4 * QUARTER_DATAGRAMS));
        assertThat(acksBeforeRead).as("the first quarter takes two slices").containsExactly(0, 0, 1, 1, 1, 1, 1, 1, 1);
        assertThat(sentAcks()).isEqualTo(2);
    }

    @Test
    void sessionThatDoesNotReadIsAcknowledgedOncePerQuarter() {
        create(0, () -> new SessionRecorder().onActive(ctx -> ctx.channel().config().setAutoRead(false)));
        receive(datagrams(0, 3 * QUARTER_DATAGRAMS));
        assertThat(acksBeforeRead).containsExactly(0, 0, 1, 1, 2, 2, 3);
        assertThat(link.accepted(0).messages()).isEmpty();
    }

    @Test
    void fullSocketSuspendsAcknowledgementsOfAnUnfinishedBatch() {
        create(0, SessionRecorder::new);
        link.server().channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        receive(datagrams(0, 2 * QUARTER_DATAGRAMS));
        assertThat(acksBeforeRead).containsOnly(0);
        link.server().channel().unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        link.server().channel().runPendingTasks();
        assertThat(sentAcks()).isEqualTo(1);
    }

    @Test
    void handlerMayCloseItsSessionWhileTheBatchContinues() {
        create(0, () -> new SessionRecorder().onRead((ctx, text) -> ctx.close()));
        receive(datagrams(0, 3 * QUARTER_DATAGRAMS));
        link.advanceMs(60_000);
        assertThat(link.accepted(0).session().isOpen()).isFalse();
    }

    @Test
    void handlerMayRemoveTheKcpHandlerWhileTheBatchContinues() {
        create(0, () -> new SessionRecorder().onRead((ctx, text) -> {
            if (link.server().channel().pipeline().get(KcpHandler.class) != null) {
                link.server().channel().pipeline().remove(KcpHandler.class);
            }
        }));
        receive(datagrams(0, QUARTER_DATAGRAMS));
        assertThat(link.accepted(0).session().isOpen()).isFalse();
    }

    @Test
    void failureOfTheSessionClosesOnlyTheSession() {
        // The clock fails when the session reads it in order to send.
        create(0, () -> new SessionRecorder().onRead((ctx, text) -> link.failClock(1)));
        receive(datagrams(0, QUARTER_DATAGRAMS));
        assertThat(link.failClock(0)).as("unused failures").isZero();
        assertThat(link.accepted(0).session().isOpen()).isFalse();
        assertThat(link.server().channel().isOpen()).isTrue();
    }
}
