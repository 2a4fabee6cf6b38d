package io.kcp.bench;

import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A NAT between one client and a server on the loopback interface. Runs on one event loop, on which all methods must be called. */
final class SoakNat {

    private final EventLoop loop;
    private final KcpTransport transport;
    private final InetSocketAddress server;
    private final Consumer<ByteBuf> recorder;
    private @Nullable Channel inside;
    private @Nullable Channel outside;
    private @Nullable InetSocketAddress client;
    private boolean closed;

    /** Creates a NAT. The recorder borrows each datagram of the client. */
    SoakNat(EventLoop loop, KcpTransport transport, InetSocketAddress server, Consumer<ByteBuf> recorder) {
        this.loop = loop;
        this.transport = transport;
        this.server = server;
        this.recorder = recorder;
    }

    /** Opens the sockets, and passes the address to which the client must connect to the given callback. */
    void open(Consumer<InetSocketAddress> opened, Consumer<Throwable> failed) {
        newBootstrap().handler(new FromClient()).bind(new InetSocketAddress(server.getAddress(), 0))
            .addListener((ChannelFutureListener) bound -> {
                if (!bound.isSuccess()) {
                    failed.accept(bound.cause());
                    return;
                }
                inside = bound.channel();
                InetSocketAddress address = (InetSocketAddress) inside.localAddress();
                newOutside().addListener((ChannelFutureListener) connected -> {
                    if (connected.isSuccess()) {
                        outside = connected.channel();
                        opened.accept(address);
                    } else {
                        failed.accept(connected.cause());
                    }
                });
            });
    }

    /** Replaces the socket that faces the server, so that the server sees another port of the client. */
    void rebind(Runnable done, Consumer<Throwable> failed) {
        newOutside().addListener((ChannelFutureListener) connected -> {
            if (!connected.isSuccess()) {
                failed.accept(connected.cause());
                return;
            }
            Channel previous = outside;
            if (previous != null) {
                previous.close();
            }
            outside = connected.channel();
            if (closed) {
                outside.close();
                return;
            }
            done.run();
        });
    }

    void close() {
        closed = true;
        if (inside != null) {
            inside.close();
        }
        if (outside != null) {
            outside.close();
        }
    }

    private ChannelFuture newOutside() {
        return newBootstrap().handler(new FromServer()).connect(server);
    }

    private Bootstrap newBootstrap() {
        return new Bootstrap().group(loop).channelFactory(transport.channelFactory()).option(ChannelOption.SO_RCVBUF, 1 << 20);
    }

    private final class FromClient extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            client = packet.sender();
            recorder.accept(packet.content());
            Channel target = outside;
            if (target != null) {
                target.writeAndFlush(packet.content().retain(), target.voidPromise());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable ignoredIcmpError) {
        }
    }

    private final class FromServer extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            Channel target = inside;
            InetSocketAddress recipient = client;
            // A NAT discards datagrams to a mapping that has expired.
            if (context.channel() == outside && target != null && recipient != null) {
                target.writeAndFlush(new DatagramPacket(packet.content().retain(), recipient), target.voidPromise());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable ignoredIcmpError) {
        }
    }
}
