package io.kcp.netty.internal.socket;

import io.kcp.core.internal.memory.MemoryLimit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A preallocated read buffer that an event loop uses when it cannot allocate another buffer. Without this reserve, an event loop whose
 * sessions hold all direct memory could not read the acknowledgements that free that memory. Sessions copy the payload of datagrams in the
 * reserve to the heap, so the reserve is free again at the next read.
 */
public final class ReceiveReserve {

    private final int bytes;
    private final MemoryLimit memoryLimit;
    private final ByteBufAllocator source;
    private @Nullable ByteBuf memory;
    private boolean scarce;

    ReceiveReserve(int bytes, MemoryLimit memoryLimit) {
        this(bytes, memoryLimit, UnpooledByteBufAllocator.DEFAULT);
    }

    /**
     * Creates an empty reserve.
     *
     * @param bytes  the capacity
     * @param held   is notified when payload must be copied, and when it may be shared again
     * @param source allocates the memory
     */
    public ReceiveReserve(int bytes, MemoryLimit memoryLimit, ByteBufAllocator source) {
        this.bytes = bytes;
        this.memoryLimit = memoryLimit;
        this.source = source;
    }

    /**
     * Creates a separate reserve for one socket. While that reserve is in use, the sessions of the event loop copy payload, as they do for
     * this reserve.
     */
    ReceiveReserve ofSocket(int socketBytes) {
        return new ReceiveReserve(socketBytes, memoryLimit, source);
    }

    /**
     * Allocates the memory of the reserve, unless it is already allocated. If the allocation fails, there is no reserve until a later call
     * succeeds.
     */
    public void fill() {
        if (memory == null) {
            try {
                memory = source.directBuffer(bytes, bytes);
            } catch (OutOfMemoryError shortage) {
                // The channel works without a reserve. When the event loop opens its next channel, it tries again to allocate one.
            }
        }
    }

    /**
     * Returns the memory of the reserve for a read whose own allocation failed.
     *
     * @return an empty buffer, <b>returned owned</b>; null if the reserve is in use, missing or too small
     */
    public @Nullable ByteBuf take(int wantedBytes) {
        ByteBuf reserve = memory;
        if (reserve == null || reserve.refCnt() > 1 || wantedBytes > bytes) {
            return null;
        }
        setScarce(true);
        return reserve.retain().clear();
    }

    /**
     * Records that a channel of the event loop was able to allocate a read buffer. Received payload may then share the memory of its
     * datagram again.
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

    /** Returns {@code true} if the reserve was used and no read buffer has been allocated since. */
    public boolean isScarce() {
        return scarce;
    }

    private void setScarce(boolean on) {
        if (scarce != on) {
            scarce = on;
            memoryLimit.onReserve(on);
        }
    }

    /** Releases the memory. A datagram that was read into it stays valid. */
    public void release() {
        ByteBuf reserve = memory;
        memory = null;
        setScarce(false);
        if (reserve != null) {
            reserve.release();
        }
    }
}
