package io.kcp.spring;

import io.kcp.netty.KcpServerBootstrap;

/**
 * A bean of this kind changes the bootstrap of a server after the properties were applied: an accept filter, options, a cipher
 * of its own. Several are called in their order.
 */
@FunctionalInterface
public interface KcpServerCustomizer {

    /**
     * Changes a bootstrap. Event loops and handler of the sessions are set afterwards.
     *
     * @param serverName see {@link KcpServer#name()}
     * @param bootstrap  not bound yet
     */
    void customize(String serverName, KcpServerBootstrap bootstrap);
}
