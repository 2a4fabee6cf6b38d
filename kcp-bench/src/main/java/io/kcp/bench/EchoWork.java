package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;

/** Writes as fast as the server returns. */
final class EchoWork implements ClientWork {

    private final LoadRun run;

    EchoWork(LoadRun run) {
        this.run = run;
    }

    @Override
    public JsonLine run() {
        for (int i = 0; i < run.options.connections; i++) {
            run.openCounted(new Pipeline(run, run.options.blockBytes(), run.options.outstandingBytes));
        }
        LoadRun.Interval interval = run.measure();
        return interval.addTo(JsonLine.event("result").put("work", "echo").put("bytes", interval.moment().bytesIn())
            .put("mb_s", interval.moment().bytesIn() / 1e6 / interval.moment().seconds()));
    }

    private static final class Pipeline extends WorkHandler {

        private final int writeBytes;
        private final int outstandingBytes;
        private final ByteBuf block;
        private int missingBytes;
        private int returnedBytes;

        Pipeline(LoadRun run, int writeBytes, int outstandingBytes) {
            super(run);
            this.writeBytes = writeBytes;
            this.outstandingBytes = Math.max(writeBytes, outstandingBytes);
            block = ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeZero(writeBytes);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        void onRead(ChannelHandlerContext context, ByteBuf buffer) {
            returnedBytes += buffer.readableBytes();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            missingBytes -= returnedBytes;
            run.meter.received(returnedBytes, 1);
            returnedBytes = 0;
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
        }

        private void write(ChannelHandlerContext context) {
            int writes = 0;
            while (context.channel().isWritable() && missingBytes + writeBytes <= outstandingBytes) {
                missingBytes += writeBytes;
                context.write(block.retainedDuplicate(), context.voidPromise());
                writes++;
            }
            if (writes > 0) {
                run.meter.sent((long) writes * writeBytes, writes);
                context.flush();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            block.release();
            super.channelInactive(context);
        }
    }
}
