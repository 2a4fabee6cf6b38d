package io.kcp.netty.reconnect;

import io.kcp.core.KcpStats;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpSessionStats;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;

/**
 * Detects the first response from the peer of a session. The pipeline of a session receives only messages, not acknowledgements, so this
 * class reads the statistics of the session. Until the response arrives, this handler precedes {@link KcpHandler} in the pipeline of the
 * datagram channel. When this handler is notified of the end of a read batch, the datagrams have been counted, but the handlers of the
 * session, which may close the session, have not received them yet.
 */
final class FirstResponse extends ChannelInboundHandlerAdapter {

    private final KcpChannel session;
    private final Runnable answered;

    private FirstResponse(KcpChannel session, Runnable answered) {
        this.session = session;
        this.answered = answered;
    }

    /**
     * Starts waiting for the first response from the peer of a session. Must be called on the event loop of the session.
     *
     * @param answered called once, on that event loop, unless the session closes first
     */
    static void add(KcpChannel session, Runnable answered) {
        if (isAnswered(session)) {
            answered.run();
            return;
        }
        ChannelPipeline pipeline = session.datagramChannel().pipeline();
        ChannelHandlerContext sessions = pipeline.context(KcpHandler.class);
        if (sessions != null) {
            pipeline.addBefore(sessions.name(), null, new FirstResponse(session, answered));
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

    /**
     * Returns {@code true} if the peer has acknowledged or sent data. Other segments, such as a WINS, count only while the session has sent
     * no data, because they may be forged or come from a server that does not have the session. The first message of the peer counts even
     * if it acknowledges nothing, because a server with an amplification limit sends its acknowledgements later.
     */
    private static boolean isAnswered(KcpChannel session) {
        // On the event loop of the session, collectStats() returns a completed future.
        KcpSessionStats stats = session.collectStats().getNow();
        KcpStats counters = stats.counters();
        boolean sentPayload = counters.wireBytesIn() > counters.segmentsIn() * SegmentHeader.LENGTH;
        return counters.bytesSent() == 0 ? counters.segmentsIn() > 0 : stats.acknowledgedBytes() > 0 || sentPayload;
    }
}
