package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes as fast as the server returns. */
@Command(name = "echo-client", description = "Writes as fast as the server returns.")
final class EchoClient extends LoadClient {

    @Option(names = "--write-bytes", defaultValue = "16384", description = "size of a write (${DEFAULT-VALUE})")
    int writeBytes;

    @Option(names = "--outstanding", defaultValue = "1048576",
        description = "bytes of each session between written and returned (${DEFAULT-VALUE})")
    int outstandingBytes;

    @Option(names = "--seconds", defaultValue = "5", description = "measured time (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "2", description = "seconds before it (${DEFAULT-VALUE})")
    double warmupSeconds;

    private final LoadMeter meter = new LoadMeter();
    private volatile boolean stopped;

    @Override
    String kind() {
        return "echo";
    }

    @Override
    ChannelHandler newHandler() {
        return new Pipeline();
    }

    @Override
    JsonLine measure(JsonLine line) {
        LoadMeter.Measurement measurement = meter.over(warmupSeconds, seconds);
        stopped = true;
        return measurement.addTo(line);
    }

    private final class Pipeline extends ChannelInboundHandlerAdapter {

        private final ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeZero(writeBytes);
        private int missingBytes;
        private int returnedBytes;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            returnedBytes += buffer.readableBytes();
            buffer.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            missingBytes -= returnedBytes;
            meter.add(returnedBytes);
            returnedBytes = 0;
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
        }

        private void write(ChannelHandlerContext context) {
            boolean written = false;
            while (!stopped && context.channel().isWritable() && missingBytes + writeBytes <= outstandingBytes) {
                missingBytes += writeBytes;
                context.write(block.retainedDuplicate(), context.voidPromise());
                written = true;
            }
            if (written) {
                context.flush();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            block.release();
        }
    }
}
