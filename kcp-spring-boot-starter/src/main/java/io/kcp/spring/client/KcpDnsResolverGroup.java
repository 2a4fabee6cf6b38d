package io.kcp.spring.client;

import io.kcp.netty.KcpTransport;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.resolver.NameResolver;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import java.net.InetAddress;

/** Resolves names with datagram channels of the transport of each event loop, and caches answers only briefly. */
final class KcpDnsResolverGroup extends DnsAddressResolverGroup {

    /** Upper bound of the TTL, because a reconnect would use an outdated address until the cached answer expires. */
    static final int MAX_TTL_S = 5;

    KcpDnsResolverGroup(DnsServerAddressStreamProvider servers) {
        super(new DnsNameResolverBuilder().datagramChannelFactory(KcpTransport.NIO.channelFactory()).nameServerProvider(servers)
            .ttl(0, MAX_TTL_S));
    }

    @Override
    protected NameResolver<InetAddress> newNameResolver(EventLoop loop, ChannelFactory<? extends DatagramChannel> sockets,
        DnsServerAddressStreamProvider servers) throws Exception {
        return super.newNameResolver(loop, KcpTransport.of(loop).channelFactory(), servers);
    }
}
