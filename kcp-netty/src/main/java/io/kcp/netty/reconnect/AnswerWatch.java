package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Notices the first sign of life from the peer of a session. KCP itself tells its pipeline of messages only, not of
 * acknowledgements, but its counters know. Stands behind the session in the pipeline of the datagram channel, where it sees
 * the end of each batch, until it is no longer needed.
 */
final class AnswerWatch extends ChannelInboundHandlerAdapter {

    private final KcpChannel session;
    private final Runnable answered;

    /**
     * Creates one for the pipeline of the session's datagram channel.
     *
     * @param answered called once, on the event loop of the session
     */
    AnswerWatch(KcpChannel session, Runnable answered) {
        this.session = session;
        this.answered = answered;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        // The answer may have been quicker.
        look(context);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        look(context);
        context.fireChannelReadComplete();
    }

    private void look(ChannelHandlerContext context) {
        // Done at once: this is the session's event loop.
        if (session.collectStats().getNow().counters().segmentsIn() > 0) {
            context.pipeline().remove(this);
            answered.run();
        }
    }
}
