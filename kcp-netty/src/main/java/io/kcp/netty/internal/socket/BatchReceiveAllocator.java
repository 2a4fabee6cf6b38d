package io.kcp.netty.internal.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Allocates the read buffers of an epoll datagram channel. A buffer holds one datagram as long as datagrams arrive one by one, because
 * {@code recvmmsg} costs more and would delay the response. Most batches then end after one read. While reads return full buffers, a buffer
 * holds up to 32 datagrams of one {@code recvmmsg}. While {@link ReceiveModeSwitch} uses GRO, a buffer holds the largest possible GRO batch
 * (datagrams that the kernel has coalesced), and the next read uses the unused rest of the buffer.
 *
 * <p>If memory cannot be allocated, one read at a time uses the {@link ReceiveReserve} of the event loop. Each channel needs its own
 * instance.
 */
public final class BatchReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {

    /** Capacity in bytes of a buffer for one datagram. The datagrams that kcp-go sends have at most 1,500 bytes. */
    public static final int DATAGRAM_BYTES = 2_048;
    private static final int MAX_DATAGRAMS = 32;
    static final int MAX_MESSAGES_PER_READ = 256;
    /** Number of consecutive read batches with one datagram after which the allocator no longer checks whether the socket is empty. */
    static final int LONE_BATCHES = 8;
    /** While checking is off, number of read batches that skip the check whether the socket is empty before one batch performs it. */
    static final int UNCHECKED_BATCHES = 15;
    private static final int RUN_BYTES = 1 << 16;
    /** Number of reads with GRO since {@link #restartCount} from which on batches no longer end early. */
    private static final int MAX_GRO_READS_UNTIL_DRAINED = 4_096;

    private @Nullable DatagramSlab slab;
    private @Nullable ByteBufAllocator slabAllocator;
    private @Nullable ReceiveReserve reserve;
    private boolean gro;
    private int groReads;
    private boolean drained;
    private final BatchEnd end = new BatchEnd();

    /** Creates an allocator for one channel. */
    public BatchReceiveAllocator() {
        super(MAX_MESSAGES_PER_READ);
    }

    /** Sets the memory for reads with GRO. The allocator that Netty passes to a read is a wrapper, from which a slab cannot allocate. */
    void useSlab(DatagramSlab receiveSlab, ByteBufAllocator allocator) {
        slab = receiveSlab;
        slabAllocator = allocator;
    }

    @Override
    public void useReserve(ReceiveReserve receiveReserve) {
        reserve = receiveReserve;
    }

    void setGro(boolean on) {
        gro = on;
        groReads = 0;
    }

    boolean isGro() {
        return gro;
    }

    /** Returns the number of reads with GRO since the last call of {@link #restartCount}. */
    int groReads() {
        return groReads;
    }

    void restartCount() {
        groReads = 0;
    }

    /** Returns {@code true} if the most recent read found the socket empty. */
    boolean isDrained() {
        return drained;
    }

    @Override
    public void requestEnd() {
        // A batch must find the socket empty from time to time, because ReceiveModeSwitch evaluates GRO only then.
        if (!gro || groReads < MAX_GRO_READS_UNTIL_DRAINED) {
            end.request();
        }
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
        return new BatchHandle();
    }

    private final class BatchHandle extends MaxMessageHandle {

        private int datagrams = 1;
        private int read;
        private int reads;
        private boolean full;
        /** Number of consecutive checked batches that found one datagram and then an empty socket. */
        private int loneBatches;
        private int uncheckedBatches;
        private @Nullable ByteBuf groBuffer;
        /**
         * Records that the latest read buffer came from the reserve. Only one read is then allowed, so that the datagrams in the reserve
         * are handled before the reserve is used again.
         */
        private boolean usesReserve;

        @Override
        public void reset(ChannelConfig config) {
            end.reset();
            super.reset(config);
        }

        @Override
        public int guess() {
            return gro ? RUN_BYTES : datagrams * DATAGRAM_BYTES;
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
                groBuffer = null;
                // Without GRO, a buffer for one datagram is enough. A read with GRO needs a buffer for the largest possible GRO batch.
                ByteBuf room = lastResort == null ? null : lastResort.take(gro ? RUN_BYTES : DATAGRAM_BYTES);
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
            if (!gro || memory == null || source == null) {
                groBuffer = null;
                return super.allocate(allocator);
            }
            ByteBuf room = memory.carve(source, RUN_BYTES);
            groBuffer = room;
            return room;
        }

        @Override
        public void lastBytesRead(int bytes) {
            super.lastBytesRead(bytes);
            drained = bytes <= 0;
            if (gro) {
                onGroRead(bytes);
            } else if (bytes > 0) {
                // After a recvmmsg call, bytes is a multiple of DATAGRAM_BYTES. After a read of a single datagram, bytes is the length of
                // that datagram.
                int count = Math.max(1, bytes / DATAGRAM_BYTES);
                read += count;
                reads++;
                full = count >= datagrams;
                if (reads > 1) {
                    loneBatches = 0;
                    if (full && datagrams < MAX_DATAGRAMS) {
                        datagrams <<= 1;
                    }
                }
            } else {
                full = false;
                loneBatches = reads == 1 && read == 1 ? loneBatches + 1 : 0;
            }
        }

        private void onGroRead(int bytes) {
            if (bytes > 0) {
                groReads++;
            }
            DatagramSlab memory = slab;
            ByteBuf room = groBuffer;
            if (memory != null && room != null) {
                memory.shorten(room, Math.max(bytes, 0));
                groBuffer = null;
            }
        }

        /**
         * Returns {@code true} if another read may find datagrams. A {@code recvmmsg} that did not fill its buffer has drained the socket.
         */
        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            if (usesReserve || !gro && datagrams > 1 && !full || endsUnchecked()) {
                return false;
            }
            return end.continues(super.continueReading(maybeMore), lastBytesRead(), maybeMore);
        }

        /**
         * Returns {@code true} if the batch ends after its first datagram. The read that finds an empty socket costs a system call. While
         * datagrams arrive one by one, most batches save it; epoll reports the socket again if it contains more.
         */
        private boolean endsUnchecked() {
            if (gro || reads != 1 || read != 1 || loneBatches < LONE_BATCHES) {
                return false;
            }
            uncheckedBatches = uncheckedBatches == UNCHECKED_BATCHES ? 0 : uncheckedBatches + 1;
            return uncheckedBatches > 0;
        }

        @Override
        public void readComplete() {
            if (!gro && read <= Math.max(1, datagrams >> 2)) {
                datagrams = Math.max(1, datagrams >> 1);
            }
            read = 0;
            reads = 0;
            super.readComplete();
        }
    }
}
