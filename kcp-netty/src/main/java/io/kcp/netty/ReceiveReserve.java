package io.kcp.netty;

import io.kcp.core.HeldMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
    private final ByteBufAllocator source;
    private @Nullable ByteBuf memory;
    private boolean scarce;

    ReceiveReserve(int bytes, HeldMemory held) {
        this(bytes, held, UnpooledByteBufAllocator.DEFAULT);
    }

    ReceiveReserve(int bytes, HeldMemory held, ByteBufAllocator source) {
        this.bytes = bytes;
        this.held = held;
        this.source = source;
    }

    /** Returns a reserve for one socket, for which the sessions of the loop copy payload as they do for this one. */
    ReceiveReserve ofSocket(int socketBytes) {
        return new ReceiveReserve(socketBytes, held, source);
    }

    /** Allocates the reserve unless it is allocated. If that fails, there is no reserve until a later call succeeds. */
    void fill() {
        if (memory == null) {
            try {
                memory = source.directBuffer(bytes, bytes);
            } catch (OutOfMemoryError shortage) {
                // The channel that was to be opened works without a reserve; the next one tries again.
            }
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
        setScarce(true);
        return reserve.retain().clear();
    }

    /**
     * Notes that a channel of the loop has allocated a read buffer: received payload may share the memory of its datagram again.
     *
     * @param usedReserve {@code true} if the previous read of that channel used the reserve. The read of another channel
     *                    changes nothing while the reserve is in use, because payload in the reserve must still be copied.
     */
    void onAllocated(boolean usedReserve) {
        ByteBuf reserve = memory;
        if (scarce && (usedReserve || reserve == null || reserve.refCnt() == 1)) {
            setScarce(false);
        }
    }

    boolean isScarce() {
        return scarce;
    }

    private void setScarce(boolean on) {
        if (scarce != on) {
            scarce = on;
            held.onReserve(on);
        }
    }

    /** Gives the memory back; a datagram that was read into it stays valid. */
    void release() {
        ByteBuf reserve = memory;
        memory = null;
        setScarce(false);
        if (reserve != null) {
            reserve.release();
        }
    }
}
