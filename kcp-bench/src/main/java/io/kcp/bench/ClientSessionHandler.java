package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;

/** Handles one session of a client. A session that fails, or that the peer or a timeout closes, ends the program with an error. */
abstract class ClientSessionHandler extends SimpleChannelInboundHandler<ByteBuf> {

    final LoadContext load;
    private boolean closing;

    ClientSessionHandler(LoadContext load) {
        this.load = load;
    }

    /** Closes the session on purpose. */
    void close(ChannelHandlerContext context) {
        closing = true;
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!closing) {
            load.termination.fail(new IllegalStateException("a session was closed unexpectedly",
                ((KcpChannel) context.channel()).closeCause()));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        load.termination.fail(cause);
    }
}
