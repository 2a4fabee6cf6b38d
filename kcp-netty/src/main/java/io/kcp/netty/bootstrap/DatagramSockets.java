package io.kcp.netty.bootstrap;

import io.kcp.netty.internal.socket.BatchReceiveAllocator;
import io.kcp.netty.internal.socket.IpFragmentation;
import io.kcp.netty.internal.socket.SingleReceiveAllocator;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Configures the UDP sockets that carry KCP sessions, and selects their event loops. */
final class DatagramSockets {

    /**
     * Default size of the socket buffers. It holds the burst of a full window of 1,024 segments (1.4 MB), for which the Linux default of
     * 208 KiB is too small.
     */
    static final int SOCKET_BUFFER_BYTES = 4 << 20;
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(2 << 20, 4 << 20);
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(DatagramSockets.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private DatagramSockets() {
    }

    static Bootstrap bootstrap(EventLoopGroup group, KcpTransport transport, int socketBufferBytes) {
        Bootstrap bootstrap = new Bootstrap().group(group).channelFactory(transport.channelFactory())
            .option(ChannelOption.SO_RCVBUF, socketBufferBytes)
            .option(ChannelOption.SO_SNDBUF, socketBufferBytes)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
        if (transport == KcpTransport.EPOLL) {
            bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, BatchReceiveAllocator.DATAGRAM_BYTES)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new BatchReceiveAllocator());
        } else {
            bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, new SingleReceiveAllocator(transport == KcpTransport.IO_URING));
        }
        return bootstrap;
    }

    /**
     * Returns the event loops of the sockets of a server, one element per socket.
     *
     * @param sockets the number of sockets that share the port, 0 for one per event loop; always one socket if the transport cannot share
     *                a port
     */
    static List<EventLoop> loops(EventLoopGroup group, KcpTransport transport, int sockets) {
        List<EventLoop> all = new ArrayList<>();
        for (EventExecutor executor : group) {
            all.add((EventLoop) executor);
        }
        int count = transport.balancesPort() ? sockets == 0 ? all.size() : sockets : 1;
        List<EventLoop> serving = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            serving.add(count == 1 ? group.next() : all.get(i % all.size()));
        }
        return serving;
    }

    /**
     * Allows other sockets to bind to the port of a bound socket, so that the kernel distributes the peers among all these sockets. The
     * kernel requires {@code SO_REUSEPORT} on all sockets of a port. A socket without this option cannot bind to a shared port, and a
     * socket with this option cannot bind to a port that is not shared.
     */
    static void sharePort(DatagramChannel bound) {
        bound.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
    }

    /**
     * Returns the {@code SO_REUSEPORT} option of a transport. NIO and the native transports use different option objects, and the jar of a
     * native transport may be missing.
     */
    static ChannelOption<Boolean> reusePort(KcpTransport transport) {
        return transport == KcpTransport.NIO ? NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT) : UnixChannelOption.SO_REUSEPORT;
    }

    /** Logs a warning once per process if the kernel grants smaller socket buffers than requested. Does nothing if the socket is closed. */
    static void checkBuffers(DatagramChannel channel, int wantedBytes) {
        int receiveBytes;
        int sendBytes;
        try {
            receiveBytes = channel.config().getReceiveBufferSize();
            sendBytes = channel.config().getSendBufferSize();
        } catch (ChannelException closed) {
            return;
        }
        if (Math.min(receiveBytes, sendBytes) < wantedBytes && WARNED.compareAndSet(false, true)) {
            LOGGER.warn("The kernel grants a receive buffer of {} bytes and a send buffer of {} bytes to {}, less than the requested "
                + "{} bytes, so bursts of datagrams may be lost. On Linux, increase net.core.rmem_max and net.core.wmem_max.",
                receiveBytes, sendBytes, channel, wantedBytes);
        }
    }

    /** Allows routers to fragment the datagrams of a bound or connected socket, if the transport has native options. */
    static void allowFragments(DatagramChannel channel, KcpTransport transport) {
        if (transport == KcpTransport.EPOLL || transport == KcpTransport.IO_URING) {
            IpFragmentation.allow(channel);
        }
    }

    /** Returns a bind failure whose message contains the address, which the exceptions of the JDK and of Netty omit. */
    static Throwable bindFailure(Throwable cause, InetSocketAddress address) {
        return cause instanceof IOException ? bindException(cause, address.toString()) : cause;
    }

    private static BindException bindException(Throwable cause, String address) {
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        BindException named = new BindException(reason + ": " + address);
        named.initCause(cause);
        return named;
    }

    @SuppressWarnings("unchecked")
    static void setOptions(Bootstrap bootstrap, Map<ChannelOption<?>, Object> options) {
        options.forEach((option, value) -> bootstrap.option((ChannelOption<Object>) option, value));
    }
}
