package io.kcp.netty;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Echoes every message and stops reading while its channel is unwritable. */
@ChannelHandler.Sharable
public final class EchoHandler extends ChannelInboundHandlerAdapter {

    public static final EchoHandler INSTANCE = new EchoHandler();

    private EchoHandler() {
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ctx.write(message, ctx.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
