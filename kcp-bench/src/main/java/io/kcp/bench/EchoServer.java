package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import picocli.CommandLine.Command;

/** Returns what comes. */
@Command(name = "echo-server", description = "Returns what comes.")
final class EchoServer extends LoadServer {

    @Override
    String kind() {
        return "echo-server";
    }

    @Override
    ChannelHandler newHandler() {
        return new Echo(meter);
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        private final LoadMeter meter;
        private int bytes;

        Echo(LoadMeter meter) {
            this.meter = meter;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            bytes += ((ByteBuf) message).readableBytes();
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            meter.add(bytes);
            bytes = 0;
            context.flush();
        }
    }
}
