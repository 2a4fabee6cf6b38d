package io.kcp.spring.server;

import io.kcp.spring.KcpSessionHandlerProvider;
import io.netty.channel.ChannelHandler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks all providers for the handler of a server's sessions; exactly one must have it. */
final class SessionHandlers {

    private final List<KcpSessionHandlerProvider> providers;
    private final @Nullable SessionRegistration registration;

    /**
     * Creates them.
     *
     * @param registration adds the sessions to the registries, if they are to be added
     */
    SessionHandlers(List<KcpSessionHandlerProvider> providers, @Nullable SessionRegistration registration) {
        this.providers = List.copyOf(providers);
        this.registration = registration;
    }

    /**
     * Finds the handler.
     *
     * @throws KcpSessionHandlerException if there is none, or more than one
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
