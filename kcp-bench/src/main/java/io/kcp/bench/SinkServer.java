package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import picocli.CommandLine.Command;

/** Counts what comes. */
@Command(name = "sink-server", description = "Counts what comes.")
final class SinkServer extends LoadServer {

    @Override
    String kind() {
        return "sink";
    }

    @Override
    ChannelHandler newHandler() {
        return new Sink(meter);
    }

    private static final class Sink extends ChannelInboundHandlerAdapter {

        private final LoadMeter meter;
        private int bytes;

        Sink(LoadMeter meter) {
            this.meter = meter;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes += buffer.readableBytes();
            buffer.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            meter.add(bytes);
            bytes = 0;
        }
    }
}
