package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;

/**
 * Notices the first sign of life from the peer of a session. KCP itself tells its pipeline of messages only, not of
 * acknowledgements, but its counters know. Stands before {@link KcpHandler} in the pipeline of the datagram channel until it is
 * no longer needed: when a batch ends its datagrams have been counted, but the handlers of the session, which may end it, have
 * not seen them.
 */
final class AnswerWatch extends ChannelInboundHandlerAdapter {

    private final KcpChannel session;
    private final Runnable answered;

    private AnswerWatch(KcpChannel session, Runnable answered) {
        this.session = session;
        this.answered = answered;
    }

    /**
     * Begins to watch, on the event loop of the session.
     *
     * @param answered called once, on that event loop, unless the session ends before
     */
    static void add(KcpChannel session, Runnable answered) {
        if (isAnswered(session)) {
            answered.run();
            return;
        }
        ChannelPipeline pipeline = session.datagramChannel().pipeline();
        ChannelHandlerContext sessions = pipeline.context(KcpHandler.class);
        if (sessions != null) {
            pipeline.addBefore(sessions.name(), null, new AnswerWatch(session, answered));
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (isAnswered(session)) {
            context.pipeline().remove(this);
            answered.run();
        }
        context.fireChannelReadComplete();
    }

    private static boolean isAnswered(KcpChannel session) {
        // Done at once: this is the session's event loop.
        return session.collectStats().getNow().counters().segmentsIn() > 0;
    }
}
