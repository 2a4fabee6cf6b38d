package io.kcp.spring;

import io.kcp.netty.bootstrap.KcpServerBootstrap;

/**
 * Customizes the bootstrap of a server, for example by setting an accept filter, channel options or a cipher. Beans of this type are called
 * in their order after the properties have been applied.
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
