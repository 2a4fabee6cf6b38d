package io.kcp.testkit;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Forwards datagrams between clients and a server over a link with delay, loss, reordering and duplication. It listens on a port of the
 * loopback interface. It does not interpret the datagrams, so clients and servers in other languages can use it:
 * <pre>{@code
 * LinkProfile link = LinkProfile.builder().delayMs(25).lossProbability(0.05).build();
 * try (LossyRelay relay = LossyRelay.start(serverAddress, link, 1)) {
 *     connect(relay.address());
 * }
 * }</pre>
 *
 * <p>If the client or the server is a Netty channel of the test, {@link LossyLinkHandler} emulates the same link without additional
 * sockets. The relay uses one thread of its own. Methods of this class may be called from any thread.
 */
public final class LossyRelay implements AutoCloseable {

    private static final int SOCKET_BUFFER_BYTES = 4 << 20;
    private static final int DATAGRAM_BYTES = 2048;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final InetSocketAddress server;
    private final LossyLinkHandler link;
    /** One socket per client, as in a NAT, so that the relay can forward the server's responses to the right client. */
    private final Map<InetSocketAddress, ChannelFuture> clients = new HashMap<>();
    private final Channel front;

    private LossyRelay(InetSocketAddress server, LossyLinkHandler link) {
        this.server = server;
        this.link = link;
        try {
            front = bootstrap(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(link, new FromClients());
                }
            }).bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel();
        } catch (Throwable failed) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw failed;
        }
    }

    /**
     * Starts a relay over a link with the same properties in both directions.
     *
     * @param server the address of the server
     * @param link   the properties of the link
     * @param seed   the seed of all random decisions
     * @return the relay
     */
    public static LossyRelay start(InetSocketAddress server, LinkProfile link, long seed) {
        return start(server, new LossyLinkHandler(link, seed));
    }

    /**
     * Starts a relay.
     *
     * @param server the address of the server
     * @param link   the link; inbound datagrams are those from clients, and outbound datagrams are those from the server
     * @return the relay
     */
    public static LossyRelay start(InetSocketAddress server, LossyLinkHandler link) {
        return new LossyRelay(Objects.requireNonNull(server, "server"), Objects.requireNonNull(link, "link"));
    }

    /**
     * Returns the address to which clients connect.
     *
     * @return the address on the loopback interface
     */
    public InetSocketAddress address() {
        return (InetSocketAddress) front.localAddress();
    }

    /**
     * Returns the counters of the datagrams from clients to the server.
     *
     * @return the counters
     */
    public LinkCounts toServer() {
        return link.inboundCounts();
    }

    /**
     * Returns the counters of the datagrams from the server to clients.
     *
     * @return the counters
     */
    public LinkCounts toClients() {
        return link.outboundCounts();
    }

    /**
     * Starts to forward the datagrams of all clients from new ports, like a NAT that has lost its mappings. Datagrams that the server sends
     * to the previous ports are lost.
     */
    public void rebind() {
        group.next().submit(() -> {
            clients.values().forEach(socket -> socket.channel().close());
            clients.clear();
        }).awaitUninterruptibly();
    }

    /** Closes the sockets of this relay and stops its thread. Discards all datagrams in flight. */
    @Override
    public void close() {
        if (group.isShuttingDown()) {
            return;
        }
        group.next().submit(() -> {
            front.close();
            clients.values().forEach(socket -> socket.channel().close());
        }).awaitUninterruptibly();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Bootstrap bootstrap(ChannelHandler handler) {
        return new Bootstrap().group(group).channel(NioDatagramChannel.class).handler(handler)
            .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(DATAGRAM_BYTES));
    }

    private abstract static class Side extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Ignores a socket error, such as one caused by a closed port, because it has the same effect as a lost datagram.
        }
    }

    private final class FromClients extends Side {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            ChannelFuture socket = clients.computeIfAbsent(packet.sender(), client -> bootstrap(new FromServer(client)).bind(0));
            DatagramPacket forwarded = new DatagramPacket(packet.content().retain(), server);
            socket.addListener((ChannelFutureListener) bound -> bound.channel().writeAndFlush(forwarded));
        }
    }

    private final class FromServer extends Side {

        private final InetSocketAddress client;

        FromServer(InetSocketAddress client) {
            this.client = client;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            front.writeAndFlush(new DatagramPacket(packet.content().retain(), client));
        }
    }
}
