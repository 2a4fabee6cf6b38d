package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import tools.jackson.databind.node.ObjectNode;

/** Workload that writes whenever the session is writable. If the server echoes, the number of bytes in flight is limited. */
final class BulkWorkload implements LoadClient.Workload {

    private final LoadContext load;
    private final boolean echo;
    private final int writeBytes;
    private final long limitBytes;

    BulkWorkload(LoadContext load, boolean echo) {
        this.load = load;
        this.echo = echo;
        writeBytes = load.options.blockBytes();
        limitBytes = echo ? Math.max(writeBytes, load.options.outstandingBytes) : Long.MAX_VALUE;
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.options.connections; i++) {
            load.openCounted(new Bulk());
        }
        LoadContext.Interval interval = load.measure();
        long bytes = echo ? interval.load().bytesIn() : interval.load().bytesOut();
        return interval.addTo(Json.event("result").put("work", echo ? "echo" : "source").put(echo ? "bytes" : "bytes_sent", bytes)
            .put("mb_s", bytes / 1e6 / interval.load().seconds()));
    }

    private final class Bulk extends ClientSessionHandler {

        private final ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeZero(writeBytes);
        private long outstandingBytes;
        private int returnedBytes;

        Bulk() {
            super(BulkWorkload.this.load);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
        }

        private void write(ChannelHandlerContext context) {
            while (context.channel().isActive() && mayWrite(context)) {
                int writes = 0;
                while (mayWrite(context)) {
                    context.write(block.retainedDuplicate(), context.voidPromise());
                    outstandingBytes += writeBytes;
                    writes++;
                }
                load.meter.sent((long) writes * writeBytes, writes);
                context.flush();
            }
        }

        private boolean mayWrite(ChannelHandlerContext context) {
            return context.channel().isWritable() && outstandingBytes < limitBytes;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf buffer) {
            returnedBytes += buffer.readableBytes();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            outstandingBytes -= returnedBytes;
            load.meter.received(returnedBytes, 1);
            returnedBytes = 0;
            write(context);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            block.release();
            super.channelInactive(context);
        }
    }
}
