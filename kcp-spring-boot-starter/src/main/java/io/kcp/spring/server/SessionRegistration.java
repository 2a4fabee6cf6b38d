package io.kcp.spring.server;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Adds the sessions of all servers to the session registries of the application. */
final class SessionRegistration {

    private final ObjectProvider<KcpSessionRegistry<?, ?>> registries;

    SessionRegistration(ObjectProvider<KcpSessionRegistry<?, ?>> registries) {
        this.registries = registries;
    }

    /** Returns an initializer that adds each session to the registries and then adds a handler to the session's pipeline. */
    ChannelHandler before(ChannelHandler handler) {
        return new RegisteringInitializer(registries.stream().toList(), handler);
    }

    /** Initializer that adds a session to the registries before the session's handler is called. */
    static final class RegisteringInitializer extends ChannelInitializer<KcpChannel> {

        private final List<KcpSessionRegistry<?, ?>> registries;
        private final ChannelHandler handler;

        RegisteringInitializer(List<KcpSessionRegistry<?, ?>> registries, ChannelHandler handler) {
            this.registries = registries;
            this.handler = handler;
        }

        @Override
        protected void initChannel(KcpChannel session) {
            registries.forEach(registry -> registry.add(session));
            session.pipeline().addLast(handler);
        }
    }
}
