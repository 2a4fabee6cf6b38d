package io.kcp.netty.internal.loop;

import io.kcp.netty.internal.socket.DatagramSlab;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Allocates buffers for copies of short payloads that are delivered at the end of the current read batch. Usually the application has
 * released all of them when the next batch begins, and the memory is then used again while it is still in the processor cache.
 *
 * <p>A message that the application keeps for longer occupies at most {@value #SLAB_BYTES} bytes.
 */
final class PayloadSlab {

    /** Size in bytes of the memory block, and maximum memory that a short message keeps allocated. */
    static final int SLAB_BYTES = 1 << 12;
    /**
     * One in this number of buffers is allocated individually, because Netty's leak detector does not track the buffers of a slab.
     * Applications that do not release messages are therefore still reported. Must be a power of two.
     */
    static final int TRACKED_INTERVAL = 64;

    private final ByteBufAllocator allocator;
    private final DatagramSlab slab = new DatagramSlab(SLAB_BYTES);
    private int allocations;

    PayloadSlab(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /**
     * Allocates an empty buffer of the given capacity in bytes.
     *
     * @return the buffer, <b>returned owned</b>
     */
    ByteBuf allocate(int bytes) {
        return (++allocations & TRACKED_INTERVAL - 1) == 0 ? allocator.buffer(bytes, bytes) : slab.carve(allocator, bytes);
    }

    /** Releases the memory block. Allocated buffers stay valid. */
    void release() {
        slab.release();
    }
}
