package io.kcp.netty;

import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Read buffers for datagrams: room for one while they come singly, so that an answer is not held up by the dearer call
 * for many; for more, read by one {@code recvmmsg}, as long as reads come back full.
 */
final class BatchReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator {

    /** Room for one datagram; kcp-go never sends more than 1500 bytes. */
    static final int DATAGRAM_BYTES = 2_048;
    private static final int MAX_DATAGRAMS = 32;
    static final int MAX_MESSAGES_PER_READ = 256;

    BatchReceiveAllocator() {
        super(MAX_MESSAGES_PER_READ);
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

        @Override
        public int guess() {
            return datagrams * DATAGRAM_BYTES;
        }

        @Override
        public void lastBytesRead(int bytes) {
            super.lastBytesRead(bytes);
            if (bytes > 0) {
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

        /** A scattering read that found less than it had room for has emptied the socket. */
        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return (datagrams == 1 || full) && super.continueReading(maybeMore);
        }

        @Override
        public void readComplete() {
            if (read <= Math.max(1, datagrams >> 2)) {
                datagrams = Math.max(1, datagrams >> 1);
            }
            read = 0;
            reads = 0;
            super.readComplete();
        }
    }
}
