package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;

/**
 * Base class of handlers for client sessions and TCP connections. If one of them fails, or if the peer or a timeout closes it, the program
 * exits with an error.
 */
abstract class ClientSessionHandler extends SimpleChannelInboundHandler<ByteBuf> {

    final LoadContext load;
    private boolean closing;

    ClientSessionHandler(LoadContext load) {
        this.load = load;
    }

    /** Closes the session and marks the close as deliberate, so that it is not reported as a failure. */
    void close(ChannelHandlerContext context) {
        closing = true;
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!closing) {
            load.termination.fail(new IllegalStateException("a session was closed unexpectedly",
                context.channel() instanceof KcpChannel session ? session.closeCause() : null));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        load.termination.fail(cause);
    }
}
