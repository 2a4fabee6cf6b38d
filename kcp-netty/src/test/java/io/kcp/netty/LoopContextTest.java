package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopContextTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.9", 9);

    /** A clock of arbitrary origin, as System.nanoTime is documented. */
    private static final class ClockFrom implements Ticker {

        private final long startNanos;
        private long nanos;

        private ClockFrom(long startNanos) {
            this.startNanos = startNanos;
            nanos = startNanos;
        }

        @Override
        public long initialNanoTime() {
            return startNanos;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void sleep(long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void handlersOfOneLoopShareItsContext() {
        EmbeddedChannel one = new EmbeddedChannel();
        EmbeddedChannel two = new EmbeddedChannel();
        LoopContext context = LoopContext.of(one.eventLoop(), one.alloc());
        assertThat(LoopContext.of(one.eventLoop(), one.alloc())).isSameAs(context);
        assertThat(LoopContext.of(two.eventLoop(), two.alloc())).isNotSameAs(context);
        one.finish();
        two.finish();
    }

    @Test
    void originOfTheClockDoesNotMatter() {
        for (long startNanos : new long[] {Long.MIN_VALUE, -1_500_000_000L, 0, Long.MAX_VALUE - 1_000_000_000L}) {
            ClockFrom clock = new ClockFrom(startNanos);
            KcpHandler handler = KcpHandler.client().build();
            EmbeddedChannel channel = EmbeddedChannel.builder().ticker(clock).handlers(handler).build();
            handler.connect(PEER, 1, new SessionRecorder()).syncUninterruptibly();
            int asked = 0;
            for (int second = 0; second < 31; second++) {
                clock.nanos += TimeUnit.SECONDS.toNanos(1);
                channel.runScheduledPendingTasks();
                for (DatagramPacket packet = channel.readOutbound(); packet != null; packet = channel.readOutbound()) {
                    assertThat(WireSegment.parse(packet.content())).allMatch(ask -> ask.cmd() == SegmentHeader.CMD_WASK);
                    asked++;
                    packet.release();
                }
            }
            assertThat(asked).as("keepalive, clock from " + startNanos).isEqualTo(2);
            channel.finishAndReleaseAll();
        }
    }
}
