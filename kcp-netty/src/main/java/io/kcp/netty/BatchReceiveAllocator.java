package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Read buffers for datagrams: room for one while they come singly, so that an answer is not held up by the dearer call
 * for many; for more, read by one {@code recvmmsg}, as long as reads come back full. While {@link ReceiveModeSwitch} has
 * runs read, room for the longest, of which what is left over serves the next read. If memory cannot be allocated, a read
 * gets the loop's {@link ReceiveReserve}, one at a time. Belongs to one channel.
 */
final class BatchReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

    /** Room for one datagram; kcp-go never sends more than 1500 bytes. */
    static final int DATAGRAM_BYTES = 2_048;
    private static final int MAX_DATAGRAMS = 32;
    static final int MAX_MESSAGES_PER_READ = 256;
    private static final int RUN_BYTES = 1 << 16;

    private @Nullable DatagramSlab slab;
    private @Nullable ByteBufAllocator slabAllocator;
    private @Nullable ReceiveReserve reserve;
    private boolean wholeRuns;
    private int wholeRunReads;
    private boolean drained;

    BatchReceiveAllocator() {
        super(MAX_MESSAGES_PER_READ);
    }

    /** Not what a read is told to use: Netty wraps it, so that nobody sees what it is. */
    void useSlab(DatagramSlab receiveSlab, ByteBufAllocator allocator) {
        slab = receiveSlab;
        slabAllocator = allocator;
    }

    @Override
    public void useReserve(ReceiveReserve receiveReserve) {
        reserve = receiveReserve;
    }

    void setWholeRuns(boolean on) {
        wholeRuns = on;
        wholeRunReads = 0;
    }

    boolean isWholeRuns() {
        return wholeRuns;
    }

    /** Returns how many reads there were since the count was begun. */
    int wholeRunReads() {
        return wholeRunReads;
    }

    void restartCount() {
        wholeRunReads = 0;
    }

    /** Whether the last read found nothing any more. */
    boolean isDrained() {
        return drained;
    }

    @Override
    @SuppressWarnings("deprecation") // what the supertype returns
    public RecvByteBufAllocator.Handle newHandle() {
        return new BatchHandle();
    }

    private final class BatchHandle extends MaxMessageHandle {

        private int datagrams = 1;
        private int read;
        private int reads;
        private boolean full;
        private @Nullable ByteBuf wholeRun;
        /** One read at a time, so that what was read into the reserve is handled before it is used again. */
        private boolean usesReserve;

        @Override
        public int guess() {
            return wholeRuns ? RUN_BYTES : datagrams * DATAGRAM_BYTES;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ReceiveReserve lastResort = reserve;
            try {
                ByteBuf room = allocateRoom(allocator);
                if (lastResort != null) {
                    lastResort.onAllocated(usesReserve);
                    usesReserve = false;
                }
                return room;
            } catch (OutOfMemoryError failure) {
                wholeRun = null;
                // A scattering read takes what is there, but a run must have room for all of it.
                ByteBuf room = lastResort == null ? null : lastResort.take(wholeRuns ? RUN_BYTES : DATAGRAM_BYTES);
                if (room == null) {
                    throw failure;
                }
                usesReserve = true;
                return room;
            }
        }

        private ByteBuf allocateRoom(ByteBufAllocator allocator) {
            DatagramSlab memory = slab;
            ByteBufAllocator source = slabAllocator;
            if (!wholeRuns || memory == null || source == null) {
                wholeRun = null;
                return super.allocate(allocator);
            }
            ByteBuf room = memory.carve(source, RUN_BYTES);
            wholeRun = room;
            return room;
        }

        @Override
        public void lastBytesRead(int bytes) {
            super.lastBytesRead(bytes);
            drained = bytes <= 0;
            if (wholeRuns) {
                onWholeRun(bytes);
            } else if (bytes > 0) {
                // Scattering reads report whole slots, single ones what came.
                int count = Math.max(1, bytes / DATAGRAM_BYTES);
                read += count;
                reads++;
                full = count >= datagrams;
                if (full && datagrams < MAX_DATAGRAMS && reads > 1) {
                    datagrams <<= 1;
                }
            } else {
                full = false;
            }
        }

        private void onWholeRun(int bytes) {
            if (bytes > 0) {
                wholeRunReads++;
            }
            DatagramSlab memory = slab;
            ByteBuf room = wholeRun;
            if (memory != null && room != null) {
                memory.shorten(room, Math.max(bytes, 0));
                wholeRun = null;
            }
        }

        /** A scattering read that found less than it had room for has emptied the socket. */
        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return !usesReserve && (wholeRuns || datagrams == 1 || full) && super.continueReading(maybeMore);
        }

        @Override
        public void readComplete() {
            if (!wholeRuns && read <= Math.max(1, datagrams >> 2)) {
                datagrams = Math.max(1, datagrams >> 1);
            }
            read = 0;
            reads = 0;
            super.readComplete();
        }
    }
}
