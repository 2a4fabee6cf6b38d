package io.kcp.spring;

import io.netty.channel.ChannelHandler;
import org.jspecify.annotations.Nullable;

/**
 * A bean of this kind says what goes into the sessions of a server. Exactly one of all beans must answer for each server.
 * Beans of type {@code ChannelInitializer<KcpChannel>} need none: there is one for them.
 */
@FunctionalInterface
public interface KcpSessionHandlerProvider {

    /**
     * Returns the handler for all sessions of a server. Called once, before the server starts.
     *
     * @param serverName see {@link KcpServer#name()}
     * @return a sharable handler, usually a {@code ChannelInitializer<KcpChannel>}; null if this bean has none for that server
     */
    @Nullable ChannelHandler handlerFor(String serverName);

    /**
     * Tells whether it has a handler for any server: then one seems to be wanted, and the log says so if there is none.
     *
     * @return true, unless it is overridden
     */
    default boolean hasHandlers() {
        return true;
    }
}
