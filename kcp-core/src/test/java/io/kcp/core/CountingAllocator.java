package io.kcp.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Heap buffers that are counted to the byte: whatever was not released is seen at once, without waiting for a garbage
 * collection. With {@code traced} Netty's leak detector follows each buffer too and tells where it was lost; that is
 * too slow for thousands of runs.
 */
public final class CountingAllocator {

    private final UnpooledByteBufAllocator allocator;
    private long peakBytes;

    /**
     * Creates an allocator that has given out nothing.
     *
     * @param traced whether Netty's leak detector follows each buffer
     */
    public CountingAllocator(boolean traced) {
        allocator = new UnpooledByteBufAllocator(false, !traced);
    }

    /**
     * Returns the allocator to use.
     *
     * @return the allocator
     */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /**
     * Allocates a buffer.
     *
     * @param bytes capacity in bytes
     * @return an empty buffer, <b>returned owned</b>
     */
    public ByteBuf buffer(int bytes) {
        ByteBuf buffer = allocator.heapBuffer(bytes);
        samplePeak();
        return buffer;
    }

    /**
     * Returns how much is in use.
     *
     * @return bytes
     */
    public long outstandingBytes() {
        return allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
    }

    /**
     * Returns the most that was in use when a datagram or a message was made.
     *
     * @return bytes
     */
    public long peakBytes() {
        return peakBytes;
    }

    private void samplePeak() {
        peakBytes = Math.max(peakBytes, outstandingBytes());
    }
}
