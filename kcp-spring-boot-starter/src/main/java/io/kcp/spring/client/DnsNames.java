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

/** Resolves names on the event loops of whatever transport the sessions have, and soon sees that a server has moved. */
final class DnsNames extends DnsAddressResolverGroup {

    /** However long the name server says: a reconnect would go to where the server was until then. */
    static final int MAX_TTL_S = 5;

    DnsNames(DnsServerAddressStreamProvider servers) {
        super(new DnsNameResolverBuilder().datagramChannelFactory(KcpTransport.NIO.channelFactory()).nameServerProvider(servers)
            .ttl(0, MAX_TTL_S));
    }

    @Override
    protected NameResolver<InetAddress> newNameResolver(EventLoop loop, ChannelFactory<? extends DatagramChannel> sockets,
        DnsServerAddressStreamProvider servers) throws Exception {
        return super.newNameResolver(loop, KcpTransport.of(loop).channelFactory(), servers);
    }
}
