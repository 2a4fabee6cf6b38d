package io.kcp.spring;

import io.kcp.netty.bootstrap.KcpBootstrap;

/**
 * Customizes the bootstraps of {@link KcpClientFactory} after the properties have been applied to them. Beans of this type are called in
 * order.
 */
@FunctionalInterface
public interface KcpClientCustomizer {

    /**
     * Customizes a bootstrap.
     *
     * @param bootstrap the bootstrap of one session, or of all sessions of a {@code KcpReconnect}; its event loops and handler are set
     */
    void customize(KcpBootstrap bootstrap);
}
