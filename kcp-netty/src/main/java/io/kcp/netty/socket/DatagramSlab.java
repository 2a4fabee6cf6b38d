package io.kcp.netty.socket;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Memory from which the datagrams of an event loop are cut one after the other. Datagrams to one peer are then adjacent in memory, so
 * that a single buffer covers a whole run. All channels of the loop share one slab. As soon as no datagram refers to it, the slab is
 * used again from its start, so that it stays in the processor cache.
 */
public final class DatagramSlab {

    /** Netty's leak detector may be configured to track every buffer. */
    private static final int MAX_REFUSED = 3;

    private final int slabBytes;
    private @Nullable ByteBuf slab;
    private @Nullable ByteBuf last;
    private int lastStart;
    private int next;

    /** Creates a slab that allocates its memory with the first piece. */
    public DatagramSlab(int slabBytes) {
        this.slabBytes = slabBytes;
    }

    /**
     * Cuts off the next piece.
     *
     * @param allocator allocates a new slab if one is needed
     * @param bytes     the length of the piece
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
        // Slices of adaptive buffers are garbage, those of pooled ones are recycled.
        ByteBufAllocator source = allocator instanceof AdaptiveByteBufAllocator ? PooledByteBufAllocator.DEFAULT : allocator;
        ByteBuf fresh = source.directBuffer(slabBytes, slabBytes);
        // The leak detector tracks a sample of buffers and every slice of them, which costs too much for a buffer that lives so long.
        for (int i = 0; i < MAX_REFUSED && fresh.unwrap() != null; i++) {
            fresh.release();
            fresh = source.directBuffer(slabBytes, slabBytes);
        }
        return fresh;
    }

    /** Gives the unused end of a piece back. Does nothing unless the piece was cut off last. */
    public void shorten(ByteBuf piece, int bytes) {
        if (piece == last && lastStart + bytes <= next) {
            next = lastStart + bytes;
        }
    }

    /**
     * Returns the memory from an address to the end of the slab. The caller moves the writer index to what it uses.
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

    /** Releases the memory. Pieces stay valid. */
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
