package io.kcp.spring;

import io.kcp.netty.KcpServerBootstrap;

/**
 * Customizes the bootstrap of a server after the properties have been applied, for example with an accept filter, channel options or
 * a cipher. Beans of this type are called in their order.
 */
@FunctionalInterface
public interface KcpServerCustomizer {

    /**
     * Customizes a bootstrap. Its event loops and child handler are set afterwards.
     *
     * @param serverName see {@link KcpServer#name()}
     * @param bootstrap  the bootstrap of a server that is not bound yet
     */
    void customize(String serverName, KcpServerBootstrap bootstrap);
}
