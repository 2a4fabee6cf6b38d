package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The streams of a session share a limit on the bytes that they store until the parent channel writes them. */
@Timeout(60)
class SmuxOutboundLimitTest {

    private static final int LOW_BYTES = 500_000;
    private static final int HIGH_BYTES = 1_000_000;
    private static final int MESSAGE_BYTES = 1_000;
    private static final int STREAMS = 500;
    /** Maximum sum of stored bytes, which is twice the high-water mark plus one message of each stream. */
    private static final long MAX_BYTES = 2 * HIGH_BYTES + STREAMS * (MESSAGE_BYTES + 100);

    /** A handler that writes messages while its stream is writable. */
    private static final class Writer extends ChannelInboundHandlerAdapter {

        private final SmuxEnd end;
        private int remaining;

        Writer(SmuxEnd end, int messages) {
            this.end = end;
            remaining = messages;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
            context.fireChannelWritabilityChanged();
        }

        private void write(ChannelHandlerContext context) {
            while (remaining > 0 && context.channel().isWritable()) {
                remaining--;
                context.write(end.buffer(new byte[MESSAGE_BYTES]));
            }
            context.flush();
        }
    }

    private static SmuxEnd limited() {
        return SmuxEnd.server(SmuxVersion.V2,
            smux -> smux.writeBufferWaterMark(new WriteBufferWaterMark(LOW_BYTES, HIGH_BYTES)), recorder -> { });
    }

    /** Returns a handler whose streams discard their data when they are closed. */
    private static SmuxEnd discarding() {
        return SmuxEnd.server(SmuxVersion.V2, smux -> smux.lingerMs(0)
            .writeBufferWaterMark(new WriteBufferWaterMark(LOW_BYTES, HIGH_BYTES)), recorder -> { });
    }

    private static SmuxStreamChannel accept(SmuxEnd end, int id) {
        end.receive(end.syn(id));
        return end.accepted.get(end.accepted.size() - 1).stream;
    }

    private static void acceptWriters(SmuxEnd end, int streams, int messages) {
        for (int i = 0; i < streams; i++) {
            accept(end, 3 + 2 * i).pipeline().addFirst(new Writer(end, messages));
            end.channel.runPendingTasks();
        }
    }

    private static long pendingBytes(SmuxEnd end) {
        return end.handler.session().link().outboundLimit().pendingBytes();
    }

    private static Map<Integer, Integer> sentBytes(SmuxEnd end) {
        Map<Integer, Integer> bytes = new HashMap<>();
        for (WireFrame frame : end.sent()) {
            bytes.merge(frame.id(), frame.payload().length, Integer::sum);
        }
        return bytes;
    }

    @Test
    @Tag("slow")
    void peerThatDoesNotReadCannotExceedTheOutboundLimit() {
        try (SmuxEnd end = limited()) {
            end.block();
            acceptWriters(end, STREAMS, 1_000);
            assertThat(pendingBytes(end)).isBetween((long) HIGH_BYTES, MAX_BYTES);
            assertThat(end.usedBytes()).isLessThan(MAX_BYTES);
        }
    }

    @Test
    void peerThatOpensNoWindowCannotExceedTheOutboundLimit() {
        try (SmuxEnd end = limited()) {
            for (int i = 0; i < STREAMS; i++) {
                end.receive(end.syn(3 + 2 * i), end.upd(3 + 2 * i, 0, 0));
                end.accepted.get(i).stream.pipeline().addFirst(new Writer(end, 1_000));
                end.channel.runPendingTasks();
            }
            assertThat(end.sent()).isEmpty();
            assertThat(pendingBytes(end)).isBetween((long) HIGH_BYTES, MAX_BYTES);

            SmuxStreamChannel last = accept(end, 2_001);
            last.pipeline().addFirst(new Writer(end, 200));
            assertThat(sentBytes(end)).as("stalled streams do not block another stream").containsExactly(Map.entry(2_001, 200_000));
        }
    }

    @Test
    void limitedStreamsSendAlternately() {
        try (SmuxEnd end = limited()) {
            end.block();
            acceptWriters(end, 100, 200);
            end.unblock();
            Map<Integer, Integer> sent = sentBytes(end);
            assertThat(sent).hasSize(100).allSatisfy((id, bytes) -> assertThat(bytes).isEqualTo(200_000));
            assertThat(pendingBytes(end)).isZero();
        }
    }

    @Test
    void streamIsWritableAgainBelowTheLowWaterMark() {
        try (SmuxEnd end = discarding()) {
            end.block();
            for (int i = 0; i < 21; i++) {
                accept(end, 3 + 2 * i);
            }
            SmuxStreamChannel bulk = end.accepted.get(0).stream;
            StreamRecorder limited = end.accepted.get(20);
            bulk.writeAndFlush(end.buffer(new byte[HIGH_BYTES]));
            limited.stream.writeAndFlush(end.buffer(new byte[60_000]));
            end.channel.runPendingTasks();
            assertThat(limited.stream.isWritable()).isFalse();
            assertThat(limited.writabilityChanges).isEqualTo(1);
            bulk.close();
            end.channel.runPendingTasks();
            assertThat(limited.stream.isWritable()).isTrue();
            assertThat(limited.writabilityChanges).isEqualTo(2);
        }
    }

    @Test
    void closedStreamsAndCancelledWritesNoLongerCount() {
        try (SmuxEnd end = discarding()) {
            end.block();
            SmuxStreamChannel first = accept(end, 3);
            SmuxStreamChannel second = accept(end, 5);
            ChannelPromise promise = first.newPromise();
            first.write(end.buffer(new byte[2 * HIGH_BYTES]), promise);
            assertThat(first.isWritable()).isFalse();
            promise.cancel(false);
            first.writeAndFlush(end.buffer(new byte[1]));
            assertThat(pendingBytes(end)).isLessThan(LOW_BYTES);

            second.writeAndFlush(end.buffer(new byte[2 * HIGH_BYTES]));
            end.channel.runPendingTasks();
            assertThat(second.isWritable()).isFalse();
            assertThat(pendingBytes(end)).isGreaterThan(HIGH_BYTES);
            second.close();
            end.channel.runPendingTasks();
            assertThat(pendingBytes(end)).isLessThan(LOW_BYTES);
        }
    }

    @Test
    void shutdownOfTheOutputReturnsItsBytes() {
        try (SmuxEnd end = limited()) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.writeAndFlush(end.buffer(new byte[100_000]));
            stream.write(end.buffer(new byte[1_000]));
            stream.shutdownOutput();
            end.channel.runPendingTasks();
            assertThat(pendingBytes(end)).isZero();
        }
    }
}
