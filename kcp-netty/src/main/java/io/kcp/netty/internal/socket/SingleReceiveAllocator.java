package io.kcp.netty.internal.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.internal.PlatformDependent;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * Allocates read buffers for one datagram each, for transports that read datagrams one by one. If memory cannot be allocated, one read at a
 * time uses the {@link ReceiveReserve} of the event loop. Each channel needs its own instance.
 *
 * <p>io_uring allocates the buffer of a read before the datagram arrives. An idle socket would therefore hold the reserve of the event
 * loop, so each socket has its own reserve. A failed allocation would stop all further reads of the socket. If the reserve is in use, too,
 * the read therefore gets an empty buffer, and the kernel drops one datagram.
 */
public final class SingleReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

    private final boolean readsAhead;
    private @Nullable ReceiveReserve reserve;
    private final BatchEnd end = new BatchEnd();

    /**
     * Creates an allocator for one channel.
     *
     * @param readsAhead {@code true} if the transport allocates the buffer of a read before the datagram arrives
     */
    public SingleReceiveAllocator(boolean readsAhead) {
        super(BatchReceiveAllocator.MAX_MESSAGES_PER_READ);
        this.readsAhead = readsAhead;
    }

    @Override
    public void useReserve(ReceiveReserve receiveReserve) {
        if (readsAhead) {
            ReceiveReserve own = receiveReserve.ofSocket(BatchReceiveAllocator.DATAGRAM_BYTES);
            own.fill();
            reserve = own;
        } else {
            reserve = receiveReserve;
        }
    }

    @Override
    public void releaseReserve() {
        ReceiveReserve own = reserve;
        if (readsAhead && own != null) {
            own.release();
            reserve = null;
        }
    }

    @Override
    public void requestEnd() {
        end.request();
    }

    @Override
    public boolean endedEarly() {
        return end.isEarly();
    }

    @Override
    public boolean endedAtLimit() {
        return end.isAtLimit();
    }

    @Override
    @SuppressWarnings("deprecation") // return type of the supertype
    public RecvByteBufAllocator.Handle newHandle() {
        return new SingleHandle();
    }

    private final class SingleHandle extends MaxMessageHandle {

        private boolean usesReserve;

        @Override
        public void reset(ChannelConfig config) {
            end.reset();
            super.reset(config);
        }

        @Override
        public int guess() {
            return BatchReceiveAllocator.DATAGRAM_BYTES;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ReceiveReserve lastResort = reserve;
            try {
                ByteBuf room = super.allocate(allocator);
                if (lastResort != null) {
                    lastResort.onAllocated(usesReserve);
                    usesReserve = false;
                }
                return room;
            } catch (OutOfMemoryError failure) {
                ByteBuf room = lastResort == null ? null : lastResort.take(BatchReceiveAllocator.DATAGRAM_BYTES);
                if (room == null && readsAhead) {
                    return Unpooled.EMPTY_BUFFER;
                }
                if (room == null) {
                    // Throws a SocketException, because any other exception would close a NIO datagram channel.
                    PlatformDependent.throwException(new SocketException("Cannot allocate a read buffer").initCause(failure));
                    throw failure;
                }
                usesReserve = true;
                return room;
            }
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            if (usesReserve) {
                return false;
            }
            return end.continues(super.continueReading(maybeMore), lastBytesRead(), maybeMore);
        }
    }
}
