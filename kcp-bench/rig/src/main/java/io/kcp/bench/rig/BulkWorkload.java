package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Workload that writes whenever the session is writable. If the server echoes, the number of bytes in flight is limited. Only the number of
 * returned bytes is checked, as in the Go program, because comparing them would take a considerable part of the CPU time.
 */
final class BulkWorkload implements Workload {

    private final Load load;
    private final boolean echo;
    private final int writeBytes;
    private final long limitBytes;

    BulkWorkload(Load load, boolean echo) {
        this.load = load;
        this.echo = echo;
        writeBytes = load.setup().writeBytes();
        limitBytes = echo && !load.protocol().losesMessages() ? load.outstandingBytes() : Long.MAX_VALUE;
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.connections(); i++) {
            load.connect(new Bulk());
        }
        Load.Interval interval = load.measure();
        long bytes = echo ? interval.load().bytesIn() : interval.load().bytesOut();
        return interval.addTo(Events.event("result").put("work", echo ? "echo" : "source").put(echo ? "bytes" : "bytes_sent", bytes)
            .put("mb_s", bytes / 1e6 / interval.load().seconds()));
    }

    private final class Bulk extends ClientListener implements Session.Source {

        private final ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeBytes(Load.block(writeBytes));
        private int unmeteredWrites;
        private int unmeteredBytes;
        private int messages;
        private long writtenBytes;
        private long receivedBytes;
        /** Written by the thread that reads, which is not the thread that writes in every library. */
        private volatile long returnedBytes;

        Bulk() {
            super(BulkWorkload.this.load);
        }

        @Override
        public void opened(Session session) {
            session.feed(this);
        }

        @Override
        public @Nullable ByteBuf next() {
            if (echo && writtenBytes - returnedBytes + writeBytes > limitBytes) {
                return null;
            }
            writtenBytes += writeBytes;
            unmeteredWrites++;
            return block.retainedDuplicate();
        }

        @Override
        public void flushed() {
            load.meter().sent((long) unmeteredWrites * writeBytes, unmeteredWrites);
            unmeteredWrites = 0;
        }

        @Override
        public void received(Session session, ByteBuf message) {
            unmeteredBytes += message.readableBytes();
            messages++;
            message.release();
        }

        @Override
        public void receivedAll(Session session) {
            load.meter().received(unmeteredBytes, messages);
            receivedBytes += unmeteredBytes;
            returnedBytes = receivedBytes;
            unmeteredBytes = 0;
            messages = 0;
            session.resume();
        }

        @Override
        public void failed(Throwable cause) {
            block.release();
            super.failed(cause);
        }
    }
}
