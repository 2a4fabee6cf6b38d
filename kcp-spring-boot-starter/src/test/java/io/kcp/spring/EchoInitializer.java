package io.kcp.spring;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Echoes messages, and stores the sessions for tests. */
public final class EchoInitializer extends ChannelInitializer<KcpChannel> {

    public final Queue<KcpChannel> sessions = new ConcurrentLinkedQueue<>();

    @Override
    protected void initChannel(KcpChannel session) {
        sessions.add(session);
        session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.writeAndFlush(message);
            }
        });
    }
}
