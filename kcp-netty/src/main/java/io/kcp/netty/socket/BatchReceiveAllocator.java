package io.kcp.netty.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Allocates read buffers for datagrams. A buffer holds one datagram as long as datagrams arrive one by one, because
 * {@code recvmmsg} costs more and would delay the answer. While reads return full buffers, it holds up to 32 datagrams of one
 * {@code recvmmsg}. While {@link ReceiveModeSwitch} uses GRO, it holds the longest run, and the next read uses the rest of it.
 *
 * <p>If memory cannot be allocated, one read at a time uses the {@link ReceiveReserve} of the loop. Belongs to one channel.
 */
public final class BatchReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

    /** The room for one datagram. kcp-go sends at most 1,500 bytes. */
    public static final int DATAGRAM_BYTES = 2_048;
    private static final int MAX_DATAGRAMS = 32;
    static final int MAX_MESSAGES_PER_READ = 256;
    private static final int RUN_BYTES = 1 << 16;

    private @Nullable DatagramSlab slab;
    private @Nullable ByteBufAllocator slabAllocator;
    private @Nullable ReceiveReserve reserve;
    private boolean wholeRuns;
    private int wholeRunReads;
    private boolean drained;

    /** Creates the allocator of one channel. */
    public BatchReceiveAllocator() {
        super(MAX_MESSAGES_PER_READ);
    }

    /** Sets the memory for runs. The allocator that Netty passes to a read is a wrapper, from which a slab cannot allocate. */
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

    /** Returns the number of GRO reads since {@link #restartCount}. */
    int wholeRunReads() {
        return wholeRunReads;
    }

    void restartCount() {
        wholeRunReads = 0;
    }

    /** Returns {@code true} if the last read found the socket empty. */
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
        /** Allows one read, so that the datagrams in the reserve are handled before it is used again. */
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
                // recvmmsg fills any buffer, but a run must fit in whole.
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
                // recvmmsg reports whole slots, a single read the bytes of its datagram.
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

        /** A recvmmsg that did not fill its buffer has drained the socket. */
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
