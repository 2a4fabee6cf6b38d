package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs on the clock of an embedded channel, which the tests advance. */
class FlushCoalescerTest {

    private static final long STEP_MICROS = 50;

    private int flushes;
    private EmbeddedChannel channel = channel(new FlushCoalescer());

    private EmbeddedChannel channel(FlushCoalescer coalescer) {
        EmbeddedChannel created = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                flushes++;
                context.flush();
            }
        }, coalescer);
        created.freezeTime();
        return created;
    }

    private void use(FlushCoalescer coalescer) {
        channel.finishAndReleaseAll();
        flushes = 0;
        channel = channel(coalescer);
    }

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    private void write() {
        channel.pipeline().writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
    }

    private void advance(long micros) {
        for (long remaining = micros; remaining > 0; remaining -= STEP_MICROS) {
            channel.advanceTimeBy(Math.min(STEP_MICROS, remaining), TimeUnit.MICROSECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    @Test
    void flushesOneMillisecondAfterTheLastRequest() {
        write();
        advance(999);
        assertThat(flushes).isZero();
        write();
        advance(999);
        assertThat(flushes).isZero();
        advance(1);
        assertThat(flushes).isEqualTo(1);
        assertThat(channel.outboundMessages()).hasSize(2);
        advance(100_000);
        assertThat(flushes).isEqualTo(1);
    }

    @Test
    void flushesTenMillisecondsAfterTheFirstRequestAtTheLatest() {
        for (int i = 0; i < 20; i++) {
            write();
            assertThat(flushes).isZero();
            advance(500);
        }
        assertThat(flushes).isEqualTo(1);
        assertThat(channel.outboundMessages()).hasSize(20);
    }

    @Test
    void delaysCanBeSet() {
        use(new FlushCoalescer(3, 5, TimeUnit.MILLISECONDS));
        write();
        advance(2_999);
        assertThat(flushes).isZero();
        advance(1);
        assertThat(flushes).isEqualTo(1);
        write();
        advance(2_900);
        write();
        advance(2_099);
        assertThat(flushes).isEqualTo(1);
        advance(1);
        assertThat(flushes).isEqualTo(2);
    }

    @Test
    void zeroDelayFlushesImmediately() {
        use(new FlushCoalescer(0, 10, TimeUnit.MILLISECONDS));
        write();
        assertThat(flushes).isEqualTo(1);
        use(new FlushCoalescer(1, 0, TimeUnit.MILLISECONDS));
        write();
        assertThat(flushes).isEqualTo(1);
    }

    @Test
    void unwritableChannelFlushesImmediately() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(10, 200));
        for (int i = 0; i < 100 && flushes == 0; i++) {
            channel.pipeline().write(Unpooled.wrappedBuffer(new byte[10]));
            channel.flush();
            channel.runPendingTasks();
        }
        assertThat(flushes).isEqualTo(1);
    }

    @Test
    void closeFlushesFirst() {
        write();
        channel.close();
        assertThat(flushes).isEqualTo(1);
        assertThat(channel.outboundMessages()).hasSize(1);
    }

    @Test
    void removalFlushes() {
        write();
        channel.pipeline().remove(FlushCoalescer.class);
        assertThat(flushes).isEqualTo(1);
        advance(10_000);
        assertThat(flushes).isEqualTo(1);
    }

    @Test
    void deregistrationFlushesAndLeavesTheTimer() {
        write();
        channel.deregister();
        assertThat(flushes).isEqualTo(1);
        advance(10_000);
        assertThat(flushes).isEqualTo(1);
    }

    @Test
    void requestDuringAnEarlierTimerTaskWaitsForItsOwnDelay() {
        write();
        advance(1_000);
        assertThat(flushes).isEqualTo(1);
        write();
        channel.flush();
        advance(950);
        assertThat(flushes).isEqualTo(1);
        advance(50);
        assertThat(flushes).isEqualTo(2);
    }

    @Test
    void lostChannelDoesNotFlush() {
        write();
        channel.pipeline().fireChannelInactive();
        advance(10_000);
        assertThat(flushes).isZero();
    }

    @Test
    void negativeDelaysAreRefused() {
        assertThatThrownBy(() -> new FlushCoalescer(-1, 1, TimeUnit.MILLISECONDS)).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("delay: -1, must not be negative");
        assertThatThrownBy(() -> new FlushCoalescer(1, -1, TimeUnit.MILLISECONDS)).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("maxDelay: -1, must not be negative");
    }
}
