package io.kcp.tools.tunnel;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.smux.SmuxHandlerBuilder;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.compression.SnappyFrameEncoder;

/** Adds snappy compression, unless it is disabled, and smux to the pipeline of each session. */
@Sharable
final class SessionInitializer extends ChannelInitializer<KcpChannel> {

    private final boolean compression;
    private final SmuxHandlerBuilder smux;
    private final TunnelLog log;
    private final int drainSeconds;

    /**
     * Creates an initializer.
     *
     * @param compression  {@code true} to compress; both peers must use the same setting
     * @param smux         builds the smux handlers; must not be changed afterwards
     * @param log          receives messages about the sessions
     * @param drainSeconds see {@link TunnelOptions#drainSeconds()}
     */
    SessionInitializer(boolean compression, SmuxHandlerBuilder smux, TunnelLog log, int drainSeconds) {
        this.compression = compression;
        this.smux = smux;
        this.log = log;
        this.drainSeconds = drainSeconds;
    }

    @Override
    protected void initChannel(KcpChannel session) {
        if (compression) {
            session.pipeline().addLast(new BoundedSnappyDecoder(), new SnappyFrameEncoder());
        }
        TunnelSession tunnel = new TunnelSession(log, drainSeconds);
        session.attr(TunnelSession.KEY).set(tunnel);
        session.pipeline().addLast(smux.build(), tunnel);
    }
}
