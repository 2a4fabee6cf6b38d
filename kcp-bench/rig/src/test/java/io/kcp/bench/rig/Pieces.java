package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Delivers received data in small pieces. */
final class Pieces extends ChannelInboundHandlerAdapter {

    private final int bytes;

    Pieces(int bytes) {
        this.bytes = bytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        while (buffer.isReadable()) {
            context.fireChannelRead(buffer.readRetainedSlice(Math.min(bytes, buffer.readableBytes())));
        }
        buffer.release();
    }
}
