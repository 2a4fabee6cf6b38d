package io.kcp.netty;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Memory from which the datagrams of an event loop are cut one behind the other, so that a run of them to one peer can leave
 * as one piece, or come as one. One slab serves all channels of the loop; it begins anew as soon as nobody holds a part of it, and so stays
 * in the cache.
 */
final class DatagramSlab {

    /** The detector may be set to watch all. */
    private static final int MAX_REFUSED = 3;

    private final int slabBytes;
    private @Nullable ByteBuf slab;
    private @Nullable ByteBuf last;
    private int lastStart;
    private int next;

    DatagramSlab(int slabBytes) {
        this.slabBytes = slabBytes;
    }

    /**
     * Cuts off the next piece.
     *
     * @param allocator where a new slab comes from if one is needed
     * @param bytes     how long the piece is
     * @return an empty buffer of that capacity, <b>returned owned</b>
     */
    ByteBuf carve(ByteBufAllocator allocator, int bytes) {
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
        // Slices of adaptive buffers are garbage, those of pooled ones are recycled.
        ByteBufAllocator source = allocator instanceof AdaptiveByteBufAllocator ? PooledByteBufAllocator.DEFAULT : allocator;
        ByteBuf fresh = source.directBuffer(slabBytes, slabBytes);
        // One in so many is watched by the leak detector, and each of its slices with it: too dear for what lives so long.
        for (int i = 0; i < MAX_REFUSED && fresh.unwrap() != null; i++) {
            fresh.release();
            fresh = source.directBuffer(slabBytes, slabBytes);
        }
        return fresh;
    }

    /** Tells that of the piece cut off last only the first so many bytes are used; of any other piece it is too late. */
    void shorten(ByteBuf piece, int bytes) {
        if (piece == last && lastStart + bytes <= next) {
            next = lastStart + bytes;
        }
    }

    /**
     * Returns all from an address on, to be read as far as its writer index is moved.
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

    /** Gives the memory back; pieces stay valid. */
    void release() {
        ByteBuf current = slab;
        slab = null;
        last = null;
        next = 0;
        if (current != null) {
            current.release();
        }
    }
}
