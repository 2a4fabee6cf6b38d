package io.kcp.spring.server;

import io.kcp.spring.KcpSessionHandlerProvider;
import io.netty.channel.ChannelHandler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the session handler of a server. Exactly one provider must return a handler. */
final class SessionHandlers {

    private final List<KcpSessionHandlerProvider> providers;
    private final @Nullable SessionRegistration registration;

    /**
     * Creates the lookup.
     *
     * @param registration adds the sessions to the session registries; null to add them to none
     */
    SessionHandlers(List<KcpSessionHandlerProvider> providers, @Nullable SessionRegistration registration) {
        this.providers = List.copyOf(providers);
        this.registration = registration;
    }

    /**
     * Returns the session handler of a server.
     *
     * @throws KcpSessionHandlerException if no provider returns one, or several do
     */
    ChannelHandler handlerFor(String serverName) {
        List<ChannelHandler> found = new ArrayList<>();
        for (KcpSessionHandlerProvider provider : providers) {
            ChannelHandler handler = provider.handlerFor(serverName);
            if (handler != null) {
                found.add(handler);
            }
        }
        if (found.isEmpty()) {
            throw KcpSessionHandlerException.missing(serverName);
        }
        if (found.size() > 1) {
            throw KcpSessionHandlerException.ambiguous(serverName, found.stream().map(handler -> handler.getClass().getName()).toList());
        }
        return registration == null ? found.get(0) : registration.before(found.get(0));
    }
}
