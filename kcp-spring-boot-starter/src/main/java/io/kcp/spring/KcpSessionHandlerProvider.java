package io.kcp.spring;

import io.netty.channel.ChannelHandler;
import org.jspecify.annotations.Nullable;

/**
 * Provides the channel handler for the sessions of a server. For each server, exactly one bean of this type must return a handler. Beans
 * of type {@code ChannelInitializer<KcpChannel>} and controllers are provided by the starter's own beans.
 */
@FunctionalInterface
public interface KcpSessionHandlerProvider {

    /**
     * Returns the handler for all sessions of a server. Called once, before the server is bound.
     *
     * @param serverName see {@link KcpServer#name()}
     * @return a sharable handler, usually a {@code ChannelInitializer<KcpChannel>}; null if this bean does not serve that server
     */
    @Nullable ChannelHandler handlerFor(String serverName);

    /**
     * Returns {@code true} if this bean provides a handler for at least one server. If so, and if no server is configured, the starter
     * logs that no server starts.
     *
     * @return {@code true} by default
     */
    default boolean hasHandlers() {
        return true;
    }
}
