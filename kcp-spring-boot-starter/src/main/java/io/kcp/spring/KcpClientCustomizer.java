package io.kcp.spring;

import io.kcp.netty.KcpBootstrap;

/** Beans of this kind change the bootstrap of sessions that {@link KcpClientFactory} opens, after the properties were applied. */
@FunctionalInterface
public interface KcpClientCustomizer {

    /**
     * Changes a bootstrap.
     *
     * @param bootstrap of one session, or of all that take the place of one another; has its event loops and its handler
     */
    void customize(KcpBootstrap bootstrap);
}
