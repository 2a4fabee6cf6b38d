package io.kcp.examples;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
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
import java.util.concurrent.TimeUnit;

/**
 * Simulates an impaired network link within one process. Forwards datagrams between clients and a server, with loss, delay, jitter,
 * reordering and duplication in each direction. Does not interpret the datagrams, so it works with any UDP protocol.
 *
 * <pre>{@code
 * try (LossyRelay relay = LossyRelay.start(serverAddress, conditions, seed)) {
 *     connect(relay.address());
 * }
 * }</pre>
 */
final class LossyRelay implements AutoCloseable {

    private static final int SOCKET_BUFFER_BYTES = 4 << 20;
    private static final int DATAGRAM_BYTES = 2048;
    private static final long BACK_SEED = 0x9E3779B97F4A7C15L;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final DelayLine line = new DelayLine(group.next());
    private final InetSocketAddress server;
    private final LinkDice there;
    private final LinkDice back;
    /** Sockets by client address. As in a NAT, each client has its own socket, so that the server's responses can be forwarded to it. */
    private final Map<InetSocketAddress, ChannelFuture> clients = new HashMap<>();
    private final Channel front;

    private LossyRelay(InetSocketAddress server, LinkConditions conditions, long seed) throws InterruptedException {
        this.server = server;
        there = new LinkDice(conditions, seed);
        back = new LinkDice(conditions, seed ^ BACK_SEED);
        try {
            front = bootstrap(new FromClients()).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        } catch (Throwable failed) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw failed;
        }
    }

    /** Starts a relay to a server, with the same conditions in both directions. The seed determines the fate of each datagram. */
    static LossyRelay start(InetSocketAddress server, LinkConditions conditions, long seed) throws InterruptedException {
        return new LossyRelay(server, conditions, seed);
    }

    /** Returns the address to which clients connect. */
    InetSocketAddress address() {
        return (InetSocketAddress) front.localAddress();
    }

    LinkCounts toServer() {
        return there.counts();
    }

    LinkCounts toClients() {
        return back.counts();
    }

    /** Returns the maximum delay with which a datagram was sent after its due time, because this process or computer was busy. */
    long longestStallMs() {
        return TimeUnit.NANOSECONDS.toMillis(line.latestNanos());
    }

    @Override
    public void close() {
        group.next().submit(() -> {
            line.release();
            front.close();
            clients.values().forEach(socket -> socket.channel().close());
        }).awaitUninterruptibly();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Bootstrap bootstrap(Side handler) {
        return new Bootstrap().group(group).channel(NioDatagramChannel.class).handler(handler)
            .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(DATAGRAM_BYTES));
    }

    private ChannelFuture socketFor(InetSocketAddress client) {
        return clients.computeIfAbsent(client,
            address -> bootstrap(new FromServer(address)).bind(0));
    }

    private abstract static class Side extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Ignores socket errors such as a closed port, because a UDP datagram may be lost anyway.
        }
    }

    private final class FromClients extends Side {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            ByteBuf content = packet.content();
            ChannelFuture socket = socketFor(packet.sender());
            long nowNanos = System.nanoTime();
            there.roll(content.readableBytes(), nowNanos, dueNanos -> {
                ByteBuf copy = content.retainedDuplicate();
                socket.addListener(bound -> line.hold(dueNanos, copy, socket.channel(), server));
            });
        }
    }

    private final class FromServer extends Side {

        private final InetSocketAddress client;

        FromServer(InetSocketAddress client) {
            this.client = client;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            ByteBuf content = packet.content();
            back.roll(content.readableBytes(), System.nanoTime(),
                dueNanos -> line.hold(dueNanos, content.retainedDuplicate(), front, client));
        }
    }
}
