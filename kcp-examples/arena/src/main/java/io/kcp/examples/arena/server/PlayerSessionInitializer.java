package io.kcp.examples.arena.server;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelInitializer;

/** Puts a {@link PlayerSession} into each session of the KCP server. */
final class PlayerSessionInitializer extends ChannelInitializer<KcpChannel> {

    private final Gateway gateway;

    PlayerSessionInitializer(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    protected void initChannel(KcpChannel session) {
        session.pipeline().addLast(gateway.newSession(session));
    }
}
