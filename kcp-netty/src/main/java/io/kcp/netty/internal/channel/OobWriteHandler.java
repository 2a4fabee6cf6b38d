package io.kcp.netty.internal.channel;

import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.internal.session.AbstractSession;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;

/** Intercepts out-of-band messages among the writes of a session and sends them immediately, ahead of queued reliable data. */
@ChannelHandler.Sharable
final class OobWriteHandler extends ChannelOutboundHandlerAdapter {

    static final OobWriteHandler INSTANCE = new OobWriteHandler();

    private OobWriteHandler() {
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!(message instanceof KcpOobMessage oob)) {
            context.write(message, promise);
        } else if (!((AbstractSession) context.channel()).sendOob(oob.content(), promise.unvoid())) {
            promise.tryFailure(new ClosedChannelException());
        }
    }
}
