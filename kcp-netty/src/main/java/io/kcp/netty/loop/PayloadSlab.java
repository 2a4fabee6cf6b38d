package io.kcp.netty.loop;

import io.kcp.netty.socket.DatagramSlab;
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
     * One of this number of buffers, which is a power of two, is allocated individually. Netty's leak detector does not track the buffers
     * of a slab, but can then still report applications that do not release their messages.
     */
    static final int BUFFERS_PER_TRACKED = 64;

    private final ByteBufAllocator allocator;
    private final DatagramSlab slab = new DatagramSlab(SLAB_BYTES);
    private int allocations;

    PayloadSlab(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /**
     * Allocates a buffer.
     *
     * @return an empty buffer of that capacity, <b>returned owned</b>
     */
    ByteBuf allocate(int bytes) {
        return (++allocations & BUFFERS_PER_TRACKED - 1) == 0 ? allocator.buffer(bytes, bytes) : slab.carve(allocator, bytes);
    }

    /** Releases the memory block. Allocated buffers stay valid. */
    void release() {
        slab.release();
    }
}
