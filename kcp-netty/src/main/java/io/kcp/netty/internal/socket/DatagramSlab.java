package io.kcp.netty.internal.socket;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A memory block from which the datagrams of an event loop are allocated consecutively. Datagrams to one peer are then adjacent in memory,
 * so that a single buffer covers several datagrams of one GSO send. All channels of the event loop share one slab. As soon as no datagram
 * refers to the slab, it is used again from its start, so that it stays in the processor cache.
 */
public final class DatagramSlab {

    /**
     * Maximum number of attempts to allocate a buffer that Netty's leak detector does not track. The detector may be configured to track
     * every buffer.
     */
    private static final int MAX_REFUSED = 3;

    private final int slabBytes;
    private @Nullable ByteBuf slab;
    private @Nullable ByteBuf last;
    private int lastStart;
    private int next;

    /** Creates a slab that allocates its memory when the first buffer is requested. */
    public DatagramSlab(int slabBytes) {
        this.slabBytes = slabBytes;
    }

    /**
     * Allocates the next buffer from the slab.
     *
     * @param allocator allocates a new memory block if one is needed
     * @param bytes     the length of the buffer
     * @return an empty buffer of that capacity, <b>returned owned</b>
     */
    public ByteBuf carve(ByteBufAllocator allocator, int bytes) {
        if (bytes > slabBytes) {
            return allocator.directBuffer(bytes, bytes);
        }
        ByteBuf current = slab;
        if (current != null && current.refCnt() == 1) {
            next = 0;
        }
        if (current == null || next + bytes > slabBytes) {
            release();
            current = allocateSlab(allocator).writerIndex(slabBytes);
            slab = current;
        }
        ByteBuf piece = current.retainedSlice(next, bytes).clear();
        last = piece;
        lastStart = next;
        next += bytes;
        return piece;
    }

    private ByteBuf allocateSlab(ByteBufAllocator allocator) {
        // Uses the pooled allocator instead of the adaptive one, because slices of pooled buffers are recycled.
        ByteBufAllocator source = allocator instanceof AdaptiveByteBufAllocator ? PooledByteBufAllocator.DEFAULT : allocator;
        ByteBuf fresh = source.directBuffer(slabBytes, slabBytes);
        // Replaces a buffer that Netty's leak detector tracks, because the detector would also track every slice of this long-lived buffer.
        for (int i = 0; i < MAX_REFUSED && fresh.unwrap() != null; i++) {
            fresh.release();
            fresh = source.directBuffer(slabBytes, slabBytes);
        }
        return fresh;
    }

    /** Returns the unused end of a buffer to the slab. Does nothing unless the buffer is the one that was allocated last. */
    public void shorten(ByteBuf piece, int bytes) {
        if (piece == last && lastStart + bytes <= next) {
            next = lastStart + bytes;
        }
    }

    /**
     * Returns a buffer for the memory from an address to the end of the slab. The caller must set the writer index to the end of the part
     * that it uses.
     *
     * @return an empty buffer, <b>returned owned</b>; null if the address is not in this slab
     */
    @Nullable ByteBuf from(long address) {
        ByteBuf current = slab;
        if (current == null) {
            return null;
        }
        long offset = address - current.memoryAddress();
        return offset < 0 || offset >= slabBytes ? null : current.retainedSlice((int) offset, slabBytes - (int) offset).clear();
    }

    /** Releases the memory of the slab. Allocated buffers stay valid. */
    public void release() {
        ByteBuf current = slab;
        slab = null;
        last = null;
        next = 0;
        if (current != null) {
            current.release();
        }
    }
}
