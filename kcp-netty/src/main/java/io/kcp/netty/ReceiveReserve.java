package io.kcp.netty;

import io.kcp.core.HeldMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Memory of an event loop into which datagrams are read when no other can be allocated: without it, a loop whose sessions
 * hold all direct memory could not read the acknowledgements that free it. What is read into it is copied to the heap
 * before anything keeps it, so the reserve is free again at the next read.
 */
final class ReceiveReserve {

    private final int bytes;
    private final HeldMemory held;
    private @Nullable ByteBuf memory;

    ReceiveReserve(int bytes, HeldMemory held) {
        this.bytes = bytes;
        this.held = held;
    }

    /** Allocates the memory while there still is some. */
    void fill() {
        if (memory == null) {
            memory = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        }
    }

    /**
     * Takes the reserve because an allocation failed.
     *
     * @return an empty buffer, <b>returned owned</b>; null if the reserve is in use or smaller
     */
    @Nullable ByteBuf take(int wantedBytes) {
        ByteBuf reserve = memory;
        if (reserve == null || reserve.refCnt() > 1 || wantedBytes > bytes) {
            return null;
        }
        held.setScarce(true);
        return reserve.retain().clear();
    }

    /** An allocation succeeded: received payload may share the memory of its datagram again. */
    void onAllocated() {
        held.setScarce(false);
    }

    /** Gives the memory back; a datagram that was read into it stays valid. */
    void release() {
        ByteBuf reserve = memory;
        memory = null;
        held.setScarce(false);
        if (reserve != null) {
            reserve.release();
        }
    }
}
