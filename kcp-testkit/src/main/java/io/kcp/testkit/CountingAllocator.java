package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Allocates heap buffers and counts the bytes in the buffers that are in use. A test detects an unreleased buffer with
 * {@link #outstandingBytes()}, without a garbage collection.
 */
public final class CountingAllocator {

    private final UnpooledByteBufAllocator allocator;
    private long peakBytes;

    /**
     * Creates an allocator.
     *
     * @param traced {@code true} if Netty's leak detector should track each buffer, and report where a leaked buffer was allocated and
     *               used; too slow for thousands of runs
     */
    public CountingAllocator(boolean traced) {
        allocator = new UnpooledByteBufAllocator(false, !traced);
    }

    /**
     * Returns the Netty allocator whose buffers are counted.
     *
     * @return the allocator
     */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /**
     * Allocates a heap buffer.
     *
     * @param bytes the initial capacity in bytes
     * @return an empty buffer, <b>returned owned</b>
     */
    public ByteBuf buffer(int bytes) {
        ByteBuf buffer = allocator.heapBuffer(bytes);
        samplePeak();
        return buffer;
    }

    /**
     * Returns the number of bytes in buffers that have not been released.
     *
     * @return the number of bytes
     */
    public long outstandingBytes() {
        return allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
    }

    /**
     * Returns the highest number of bytes that have been in use at the same time. It is sampled by each call of {@link #buffer}.
     *
     * @return the number of bytes
     */
    public long peakBytes() {
        return peakBytes;
    }

    private void samplePeak() {
        peakBytes = Math.max(peakBytes, outstandingBytes());
    }
}
