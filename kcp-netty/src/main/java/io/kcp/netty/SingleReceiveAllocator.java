package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.internal.PlatformDependent;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * Read buffers with room for one datagram each, for transports that read them singly. If memory cannot be allocated, a read
 * gets the loop's {@link ReceiveReserve}, one at a time. Belongs to one channel.
 */
final class SingleReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

    private @Nullable ReceiveReserve reserve;

    SingleReceiveAllocator() {
        super(BatchReceiveAllocator.MAX_MESSAGES_PER_READ);
    }

    @Override
    public void useReserve(ReceiveReserve receiveReserve) {
        reserve = receiveReserve;
    }

    @Override
    @SuppressWarnings("deprecation") // what the supertype returns
    public RecvByteBufAllocator.Handle newHandle() {
        return new SingleHandle();
    }

    private final class SingleHandle extends MaxMessageHandle {

        private boolean usesReserve;

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
                if (room == null) {
                    // A NIO datagram channel stays open only after a SocketException.
                    PlatformDependent.throwException(new SocketException("no memory to read").initCause(failure));
                    throw failure;
                }
                usesReserve = true;
                return room;
            }
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return !usesReserve && super.continueReading(maybeMore);
        }
    }
}
