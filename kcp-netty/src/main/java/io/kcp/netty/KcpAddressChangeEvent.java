package io.kcp.netty;

import java.net.InetSocketAddress;

/**
 * A user event that is fired through the pipeline of a session after the session has followed its peer to a new address. See
 * {@link io.kcp.netty.bootstrap.KcpServerBootstrap#roaming roaming}. {@link KcpChannel#remoteAddress()} already returns the new address.
 *
 * @param previous the previous address of the peer
 * @param current  the new address of the peer
 */
public record KcpAddressChangeEvent(InetSocketAddress previous, InetSocketAddress current) {
}
