package io.kcp.netty;

import io.kcp.netty.socket.BatchReceiveAllocator;
import io.kcp.netty.socket.SingleReceiveAllocator;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramChannelConfig;
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
import java.util.concurrent.atomic.AtomicBoolean;

/** How the sockets under sessions are set up. */
final class DatagramSockets {

    /** One burst of a window of 1,024 segments is 1.4 MB; Linux gives 208 KiB if it is not asked. */
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
     * Returns the event loop of each socket of a server.
     *
     * @param sockets how many sockets share the port, 0 for one per event loop; one where the transport cannot share a port
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
     * Lets other sockets join one that is bound. The kernel gives them a part of the peers; it asks both sides, so a socket that
     * does not share cannot take the port from one that does, nor the other way round.
     */
    static void sharePort(DatagramChannel bound) {
        bound.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
    }

    /** Returns the option of sockets that share their port; each transport has its own, and their jars may be missing. */
    static ChannelOption<Boolean> reusePort(KcpTransport transport) {
        return transport == KcpTransport.NIO ? NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT) : UnixChannelOption.SO_REUSEPORT;
    }

    /** Warns once in the life of the process if the kernel gives less buffer than asked for. */
    static void checkBuffers(DatagramChannel channel, int wantedBytes) {
        DatagramChannelConfig config = channel.config();
        int receiveBytes = config.getReceiveBufferSize();
        int sendBytes = config.getSendBufferSize();
        if (Math.min(receiveBytes, sendBytes) < wantedBytes && WARNED.compareAndSet(false, true)) {
            LOGGER.warn("The kernel gives {} bytes of receive and {} of send buffer to {}, {} were asked for; bursts may be "
                + "lost. On Linux raise net.core.rmem_max and net.core.wmem_max.", receiveBytes, sendBytes, channel,
                wantedBytes);
        }
    }

    /** Says which address could not be bound to: neither the JDK nor Netty does. */
    static Throwable bindFailure(Throwable cause, InetSocketAddress address) {
        return cause instanceof IOException ? bindException(cause, address.toString()) : cause;
    }

    private static BindException bindException(Throwable cause, String address) {
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        BindException named = new BindException(reason + ": " + address);
        named.initCause(cause);
        return named;
    }
}
