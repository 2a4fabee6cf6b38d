package io.kcp.spring.client;

import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.resolver.NameResolver;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import java.net.InetAddress;

/**
 * DNS resolver whose datagram channels use the same transport as the event loops on which they run. Responses are cached for only a few
 * seconds.
 */
final class KcpDnsResolverGroup extends DnsAddressResolverGroup {

    /** Limits how long a DNS response is cached, because clients reconnect to an outdated address until the cached response expires. */
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
