package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Runs the {@code source} and {@code echo} scenarios, in which each session writes as fast as the library accepts data. */
final class BulkWork implements Work {

    private final Load load;
    private final boolean echo;
    private final int connections;
    private final int writeBytes;
    private final long outstandingBytes;
    private volatile boolean stopped;

    BulkWork(Load load, boolean echo) {
        this.load = load;
        this.echo = echo;
        connections = load.options().number("connections", 1);
        writeBytes = load.options().writeBytes();
        int outstanding = load.options().number("outstanding", 1 << 20);
        outstandingBytes = echo && !load.protocol().losesMessages() ? Math.max(outstanding, writeBytes) : Long.MAX_VALUE;
    }

    @Override
    public void run() throws Exception {
        for (int i = 0; i < connections; i++) {
            load.connect(new Feeding());
        }
        load.measure(echo ? load.meter()::bytesReceived : load.meter()::bytesSent);
        stopped = true;
    }

    /** One session. */
    private final class Feeding extends SessionListener {

        private final ByteBuf block = load.block(writeBytes);
        private long written;
        private volatile long returned;

        @Override
        public void opened(Session session) {
            session.feed(this::next);
        }

        private ByteBuf next() {
            if (stopped || written - returned + writeBytes > outstandingBytes) {
                return null;
            }
            written += writeBytes;
            load.meter().sent(writeBytes);
            return block.retainedDuplicate();
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField") // Only one thread calls received().
        public void received(Session session, ByteBuf message) {
            load.meter().received(message.readableBytes());
            returned += message.readableBytes();
        }

        @Override
        public void receivedAll(Session session) {
            session.resume();
        }
    }
}
