package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;

/** Writes as fast as it may. */
final class SourceWork implements ClientWork {

    private final LoadRun run;
    private final int writeBytes;

    SourceWork(LoadRun run) {
        this.run = run;
        writeBytes = run.options.blockBytes();
    }

    @Override
    public JsonLine run() {
        for (int i = 0; i < run.options.connections; i++) {
            run.openCounted(new Source(run, writeBytes));
        }
        LoadRun.Interval interval = run.measure();
        return interval.addTo(JsonLine.event("result").put("work", "source").put("bytes_sent", interval.moment().bytesOut())
            .put("mb_s", interval.moment().bytesOut() / 1e6 / interval.moment().seconds()));
    }

    private static final class Source extends WorkHandler {

        private final int writeBytes;
        private final ByteBuf block;

        Source(LoadRun run, int writeBytes) {
            super(run);
            this.writeBytes = writeBytes;
            block = ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeZero(writeBytes);
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
            while (context.channel().isWritable() && context.channel().isActive()) {
                int writes = 0;
                while (context.channel().isWritable()) {
                    context.write(block.retainedDuplicate(), context.voidPromise());
                    writes++;
                }
                run.meter.sent((long) writes * writeBytes, writes);
                context.flush();
            }
        }

        @Override
        void onRead(ChannelHandlerContext context, ByteBuf buffer) {
            run.meter.received(buffer.readableBytes(), 1);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            block.release();
            super.channelInactive(context);
        }
    }
}
