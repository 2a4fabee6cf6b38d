package io.kcp.netty;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.FreePort;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Servers and clients on real sockets of one transport, on the loopback interface. Closing this object closes all of them and verifies
 * that every buffer was released.
 */
public final class Loopback implements AutoCloseable {

    public static final int PATIENCE_S = 30;
    private static final int LINGER_MS = 500;

    private final KcpTransport transport;
    private final EventLoopGroup group;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final List<Channel> opened = new ArrayList<>();

    public Loopback(KcpTransport transport, int loops) {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here: " + BootstrapAccess.whyNot(transport));
        this.transport = transport;
        group = new MultiThreadIoEventLoopGroup(loops, transport.ioHandlerFactory());
    }

    KcpTransport transport() {
        return transport;
    }

    public EventLoopGroup group() {
        return group;
    }

    public UnpooledByteBufAllocator allocator() {
        return allocator;
    }

    public KcpServerBootstrap server(ChannelHandler childHandler) {
        return new KcpServerBootstrap().group(group).option(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOCATOR, allocator).childOption(KcpChannelOption.LINGER_MS, LINGER_MS)
            .childHandler(childHandler);
    }

    public KcpBootstrap client(ChannelHandler handler) {
        return new KcpBootstrap().group(group).socketOption(ChannelOption.ALLOCATOR, allocator)
            .option(ChannelOption.ALLOCATOR, allocator).option(KcpChannelOption.LINGER_MS, LINGER_MS).handler(handler);
    }

    public KcpServerChannel bind(KcpServerBootstrap server) {
        return bind(server, anyPort());
    }

    public KcpServerChannel bind(KcpServerBootstrap server, InetSocketAddress address) {
        return (KcpServerChannel) open(server.bind(address));
    }

    public KcpServerChannel bind(ChannelHandler childHandler) {
        return bind(server(childHandler));
    }

    public KcpChannel connect(KcpServerChannel server, ChannelHandler handler) {
        return connect(client(handler), server.localAddress());
    }

    public KcpChannel connect(KcpBootstrap client, InetSocketAddress server) {
        return (KcpChannel) open(client.connect(server));
    }

    /** Returns a datagram channel with only the given handler. */
    public Channel datagramChannel(ChannelHandler handler) {
        return datagramChannel(group, handler);
    }

    Channel datagramChannel(EventLoopGroup loops, ChannelHandler handler) {
        Bootstrap bootstrap = new Bootstrap().group(loops).channelFactory(transport.channelFactory())
            .option(ChannelOption.ALLOCATOR, allocator).handler(handler);
        return open(bootstrap.bind(anyPort()));
    }

    /** Waits for a channel to open and registers it to be closed at the end. For a session, its socket is registered too. */
    private Channel open(ChannelFuture future) {
        Channel channel = done(future).channel();
        if (channel instanceof KcpChannel session) {
            opened.add(session.datagramChannel());
        }
        opened.add(channel);
        return channel;
    }

    public static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Returns an address at which nobody listens, and whose port no client of another test gets. */
    public static InetSocketAddress freePort() throws IOException {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.find());
    }

    /** Waits for a future and asserts that it succeeded. */
    public static ChannelFuture done(ChannelFuture future) {
        return succeeded(future);
    }

    public static <T> T result(Future<T> future) {
        return succeeded(future).getNow();
    }

    public static <F extends Future<?>> F ended(F future) {
        if (!future.awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new AssertionError("not done after " + PATIENCE_S + " s: " + future);
        }
        return future;
    }

    private static <F extends Future<?>> F succeeded(F future) {
        ended(future);
        if (!future.isSuccess()) {
            throw new AssertionError("failed: " + future, future.cause());
        }
        return future;
    }

    /**
     * Closes all channels, then the event loops. io_uring sockets release their read buffers shortly after they were closed, and only
     * if their event loop is still running.
     */
    @Override
    public void close() {
        opened.forEach(channel -> ended(channel.close()));
        Promise<Boolean> released = group.next().newPromise();
        awaitRelease(released, System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S));
        ended(released);
        ended(group.shutdownGracefully(0, PATIENCE_S / 2, TimeUnit.SECONDS));
        if (outstandingBytes() != 0) {
            throw new AssertionError(outstandingBytes() + " bytes in buffers were not released");
        }
    }

    private void awaitRelease(Promise<Boolean> released, long untilNanos) {
        if (outstandingBytes() == 0 || System.nanoTime() - untilNanos > 0) {
            released.setSuccess(outstandingBytes() == 0);
        } else {
            group.schedule(() -> awaitRelease(released, untilNanos), 10, TimeUnit.MILLISECONDS);
        }
    }

    private long outstandingBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }
}
