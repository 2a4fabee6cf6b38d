package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The handler of a client's session; a session that fails, or closes by itself, fails the program. */
abstract class WorkHandler extends ChannelInboundHandlerAdapter {

    final LoadRun run;
    private boolean closing;

    WorkHandler(LoadRun run) {
        this.run = run;
    }

    /** Something came; borrowed. */
    abstract void onRead(ChannelHandlerContext context, ByteBuf buffer);

    /** Closes the session, which is no failure. */
    void close(ChannelHandlerContext context) {
        closing = true;
        context.close();
    }

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            onRead(context, buffer);
        } finally {
            buffer.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!closing) {
            run.end.failed(new IllegalStateException("a session ended", ((KcpChannel) context.channel()).closeCause()));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        run.end.failed(cause);
    }
}
