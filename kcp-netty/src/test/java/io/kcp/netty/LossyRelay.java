package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;

/** Forwards datagrams between one client and a server on real sockets, and drops some in both directions. */
final class LossyRelay {

    private final SplittableRandom random;
    private final double loss;
    private final InetSocketAddress server;
    private final Channel toClient;
    private final Channel toServer;
    private InetSocketAddress client;

    LossyRelay(Loopback loopback, InetSocketAddress server, double loss, long seed) {
        this.server = server;
        this.loss = loss;
        random = new SplittableRandom(seed);
        // Both sockets share one loop, so that the random number generator needs no lock.
        EventLoop loop = loopback.group().next();
        toClient = loopback.datagramChannel(loop, new SimpleChannelInboundHandler<DatagramPacket>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                client = packet.sender();
                relay(packet, toServer, LossyRelay.this.server);
            }
        });
        toServer = loopback.datagramChannel(loop, new SimpleChannelInboundHandler<DatagramPacket>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                relay(packet, toClient, client);
            }
        });
    }

    /** Returns the address to which the client connects. */
    InetSocketAddress address() {
        return (InetSocketAddress) toClient.localAddress();
    }

    private void relay(DatagramPacket packet, Channel to, InetSocketAddress address) {
        if (random.nextDouble() >= loss) {
            to.writeAndFlush(new DatagramPacket(packet.content().retain(), address), to.voidPromise());
        }
    }
}
