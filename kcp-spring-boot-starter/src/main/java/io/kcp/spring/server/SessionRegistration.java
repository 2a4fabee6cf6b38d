package io.kcp.spring.server;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Adds the sessions of servers to all registries of the application. */
final class SessionRegistration {

    private final ObjectProvider<KcpSessionRegistry<?, ?>> registries;

    SessionRegistration(ObjectProvider<KcpSessionRegistry<?, ?>> registries) {
        this.registries = registries;
    }

    /** Returns a handler that adds the session, then puts in the one given. */
    ChannelHandler before(ChannelHandler handler) {
        List<KcpSessionRegistry<?, ?>> all = registries.stream().toList();
        return new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                all.forEach(registry -> registry.add(session));
                session.pipeline().addLast(handler);
            }
        };
    }
}
