package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes as fast as it may. */
@Command(name = "source-client", description = "Writes as fast as it may.")
final class SourceClient extends LoadClient {

    @Option(names = "--write-bytes", defaultValue = "16384", description = "size of a write (${DEFAULT-VALUE})")
    int writeBytes;

    @Option(names = "--seconds", defaultValue = "5", description = "measured time (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "2", description = "seconds before it (${DEFAULT-VALUE})")
    double warmupSeconds;

    private final LoadMeter meter = new LoadMeter();
    private volatile boolean stopped;

    @Override
    String kind() {
        return "source";
    }

    @Override
    ChannelHandler newHandler() {
        return new Source();
    }

    @Override
    JsonLine measure(JsonLine line) {
        LoadMeter.Measurement measurement = meter.over(warmupSeconds, seconds);
        stopped = true;
        return measurement.addTo(line);
    }

    private final class Source extends ChannelInboundHandlerAdapter {

        private final ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeZero(writeBytes);

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
        }

        private void write(ChannelHandlerContext context) {
            while (context.channel().isWritable() && !stopped) {
                while (context.channel().isWritable()) {
                    context.write(block.retainedDuplicate(), context.voidPromise());
                    meter.add(writeBytes);
                }
                context.flush();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            block.release();
        }
    }
}
