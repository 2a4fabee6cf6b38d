package io.kcp.netty;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The channels, the mock clock and the memory of a simulated network. Closing this object verifies that every buffer was released. */
final class EmbeddedSockets implements AutoCloseable {

    private final MockTicker ticker = Ticker.newMockTicker();
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true);
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    MockTicker ticker() {
        return ticker;
    }

    UnpooledByteBufAllocator memory() {
        return memory;
    }

    void add(EmbeddedChannel channel) {
        channels.add(channel);
    }

    long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(ticker.nanoTime());
    }

    /** Runs the scheduled tasks that are due, and returns the time until the next one in nanoseconds. */
    long runScheduledTasks() {
        long next = Long.MAX_VALUE;
        for (EmbeddedChannel channel : channels) {
            long nanos = channel.runScheduledPendingTasks();
            next = nanos < 0 ? next : Math.min(next, nanos);
        }
        return next;
    }

    long outstandingBytes() {
        return memory.metric().usedDirectMemory() + memory.metric().usedHeapMemory();
    }

    /** Closes the channels, runs their remaining tasks and rethrows the first exception that reached the end of a pipeline. */
    @Override
    public void close() {
        for (EmbeddedChannel channel : channels) {
            channel.finishAndReleaseAll();
            channel.runPendingTasks();
        }
        channels.forEach(EmbeddedChannel::runPendingTasks);
        channels.forEach(EmbeddedChannel::checkException);
        if (outstandingBytes() != 0) {
            throw new AssertionError(outstandingBytes() + " bytes in buffers were not released");
        }
    }
}
