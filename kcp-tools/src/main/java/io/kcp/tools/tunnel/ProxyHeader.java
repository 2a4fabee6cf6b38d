package io.kcp.tools.tunnel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Sends the header of the PROXY protocol, version 2, which reports the address of the tunnel client to the target. The address is that
 * of the client's UDP socket, because the client does not transmit the addresses of the applications that connect to it.
 */
final class ProxyHeader {

    private ProxyHeader() {
    }

    /**
     * Writes the header to a new connection.
     *
     * @param target      the connection to the target, to which nothing has been written yet
     * @param source      the address of the tunnel client
     * @param destination the local address of the session; its host may be a wildcard
     * @return a future that completes when the header has been sent
     */
    static ChannelFuture send(Channel target, InetSocketAddress source, SocketAddress destination) {
        target.pipeline().addFirst(HAProxyMessageEncoder.INSTANCE);
        return target.writeAndFlush(message(source, destination))
            .addListener(sent -> target.pipeline().remove(HAProxyMessageEncoder.INSTANCE));
    }

    private static HAProxyMessage message(InetSocketAddress source, SocketAddress destination) {
        boolean isIpv6 = source.getAddress() instanceof Inet6Address;
        InetSocketAddress local = (InetSocketAddress) destination;
        boolean sameFamily = local.getAddress() instanceof Inet6Address == isIpv6;
        String localHost = sameFamily ? host(local) : isIpv6 ? "::" : "0.0.0.0";
        return new HAProxyMessage(HAProxyProtocolVersion.V2, HAProxyCommand.PROXY,
            isIpv6 ? HAProxyProxiedProtocol.TCP6 : HAProxyProxiedProtocol.TCP4, host(source), localHost, source.getPort(), local.getPort());
    }

    /** Returns the IP address as text, without the scope of a link-local IPv6 address. */
    private static String host(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        int scope = host.indexOf('%');
        return scope < 0 ? host : host.substring(0, scope);
    }
}
