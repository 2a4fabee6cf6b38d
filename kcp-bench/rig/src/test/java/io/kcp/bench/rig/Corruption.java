package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/** Changes the last byte of everything that is sent. */
final class Corruption extends ChannelOutboundHandlerAdapter {

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ByteBuf buffer = (ByteBuf) message;
        int last = buffer.writerIndex() - 1;
        buffer.setByte(last, ~buffer.getByte(last));
        context.write(buffer, promise);
    }
}
