package io.kcp.tools.tunnel;

import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Objects;

/** Creates TCP and Unix domain sockets for the event loops of a transport. */
final class StreamSockets {

    private final KcpTransport transport;
    private final AddressResolverGroup<InetSocketAddress> resolver;

    StreamSockets(KcpTransport transport) {
        if (transport != KcpTransport.EPOLL && transport != KcpTransport.NIO) {
            throw new IllegalArgumentException(transport + " (expected: EPOLL or NIO)");
        }
        this.transport = transport;
        resolver = new DnsAddressResolverGroup(transport.channelFactory(), DnsServerAddressStreamProviders.platformDefault());
    }

    /** Returns epoll if it is available, otherwise NIO. */
    static KcpTransport bestTransport() {
        return KcpTransport.EPOLL.isAvailable() ? KcpTransport.EPOLL : KcpTransport.NIO;
    }

    private boolean isEpoll() {
        return transport == KcpTransport.EPOLL;
    }

    /** Creates one event loop for each processor. */
    EventLoopGroup newEventLoops() {
        return new MultiThreadIoEventLoopGroup(Runtime.getRuntime().availableProcessors(), transport.ioHandlerFactory());
    }

    /** Returns a resolver that does not block the event loop. */
    AddressResolverGroup<InetSocketAddress> resolver() {
        return resolver;
    }

    ChannelFactory<? extends Channel> clientSockets(StreamAddress address) {
        if (address.isUnix()) {
            return isEpoll() ? EpollDomainSocketChannel::new : NioDomainSocketChannel::new;
        }
        return isEpoll() ? EpollSocketChannel::new : NioSocketChannel::new;
    }

    ChannelFactory<? extends ServerChannel> serverSockets(StreamAddress address) {
        if (address.isUnix()) {
            return isEpoll() ? EpollServerDomainSocketChannel::new : NioServerDomainSocketChannel::new;
        }
        return isEpoll() ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    }

    /** Returns {@code true} if a socket can be half-closed. Netty's NIO transport cannot half-close Unix domain sockets. */
    boolean hasHalfClose(StreamAddress address) {
        return isEpoll() || !address.isUnix();
    }

    /** Returns the address to connect to. A name is not resolved yet. An empty host is the local host, as in Go. */
    SocketAddress remote(StreamAddress address) {
        String host = address.host();
        return host == null ? unix(address) : InetSocketAddress.createUnresolved(host.isEmpty() ? "localhost" : host, address.port());
    }

    /** Returns the address to bind to. An empty host stands for all local addresses. */
    SocketAddress local(StreamAddress address) {
        String host = address.host();
        if (host == null) {
            return unix(address);
        }
        return host.isEmpty() ? new InetSocketAddress(address.port()) : new InetSocketAddress(host, address.port());
    }

    private SocketAddress unix(StreamAddress address) {
        String path = Objects.requireNonNull(address.unixPath());
        return isEpoll() ? new DomainSocketAddress(path) : UnixDomainSocketAddress.of(path);
    }
}
