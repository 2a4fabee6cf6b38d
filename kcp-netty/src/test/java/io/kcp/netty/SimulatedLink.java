package io.kcp.netty;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Embedded datagram channels that exchange datagrams without delay, on a simulated clock that a test advances. */
abstract class SimulatedLink implements AutoCloseable {

    private static final int MAX_ROUNDS = 1_000_000;

    final MockTicker ticker = Ticker.newMockTicker();

    /** Returns all channels of the link. */
    abstract List<EmbeddedChannel> channels();

    /** Delivers the datagrams that the channels have sent. Returns {@code true} if there were any. */
    abstract boolean carry();

    /** Returns the allocator of all channels. */
    abstract UnpooledByteBufAllocator memory();

    final long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(ticker.nanoTime());
    }

    /** Delivers datagrams until no channel sends any more, without advancing the clock. */
    public final void settle() {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            if (!carry()) {
                return;
            }
        }
        throw new AssertionError("the link does not come to rest");
    }

    /** Advances the clock step by step from one scheduled task to the next, and delivers the datagrams that the channels send. */
    public final void advanceMs(long ms) {
        long endNanos = ticker.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        settle();
        for (long left = endNanos - ticker.nanoTime(); left > 0; left = endNanos - ticker.nanoTime()) {
            long next = channels().stream().mapToLong(SimulatedLink::nextTask).min().orElseThrow();
            ticker.advance(Math.min(left, Math.max(1, next)), TimeUnit.NANOSECONDS);
            settle();
        }
    }

    /** Advances the clock by at most {@code atMostMs}, until the condition holds. Returns {@code true} if it does. */
    final boolean advanceUntil(Supplier<Boolean> condition, long atMostMs) {
        long endMs = nowMs() + atMostMs;
        settle();
        while (!condition.get() && nowMs() < endMs) {
            advanceMs(1);
        }
        return condition.get();
    }

    private static long nextTask(EmbeddedChannel channel) {
        long nanos = channel.runScheduledPendingTasks();
        return nanos < 0 ? Long.MAX_VALUE : nanos;
    }

    @Override
    public final void close() {
        finish(channels());
        requireReleased(memory());
    }

    /** Closes channels, runs their remaining tasks and rethrows the first exception that reached the end of a pipeline. */
    static void finish(Collection<EmbeddedChannel> channels) {
        for (EmbeddedChannel channel : channels) {
            channel.finishAndReleaseAll();
            channel.runPendingTasks();
        }
        channels.forEach(EmbeddedChannel::runPendingTasks);
        channels.forEach(EmbeddedChannel::checkException);
    }

    /** Throws an error if any buffer of an allocator has not been released. */
    static void requireReleased(UnpooledByteBufAllocator memory) {
        long left = memory.metric().usedDirectMemory() + memory.metric().usedHeapMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes in buffers were not released");
        }
    }
}
