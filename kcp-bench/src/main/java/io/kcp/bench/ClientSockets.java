package io.kcp.bench;

import com.sun.management.UnixOperatingSystemMXBean;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.CryptoCodec;
import io.kcp.netty.FecCodec;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The sessions of a client. Each has a socket of its own, as those of real clients do; where that is more than this process
 * or the ports of one address allow, the rest shares a few.
 */
final class ClientSockets implements AutoCloseable {

    /** Linux gives 28,232 ports to clients, and others want some. */
    private static final int MOST_PORTS = 24_000;
    /** Jars, loops, and what else a process opens. */
    private static final int OTHER_FILES = 512;
    private static final int SHARED_BY_THE_REST = 64;

    private final LoadOptions options;
    private final EventLoopGroup group;
    private final InetSocketAddress server;
    private final int ownSockets;
    private final int mostShared;
    private final List<KcpHandler> shared = new ArrayList<>();
    private final List<Channel> sharedChannels = new ArrayList<>();
    private final AtomicInteger own = new AtomicInteger();
    private int sharing;

    /** {@code sharedSockets} is 0 for sessions with sockets of their own. */
    ClientSockets(LoadOptions options, EventLoopGroup group, InetSocketAddress server, int sharedSockets) {
        this.options = options;
        this.group = group;
        this.server = server;
        ownSockets = sharedSockets > 0 ? 0 : mostSockets() - SHARED_BY_THE_REST;
        mostShared = sharedSockets > 0 ? sharedSockets : SHARED_BY_THE_REST;
    }

    private static int mostSockets() {
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount() - OTHER_FILES : MOST_PORTS;
        return (int) Math.max(2 * SHARED_BY_THE_REST, Math.min(files, MOST_PORTS));
    }

    /** How many sockets there are. */
    int count() {
        return own.get() + shared.size();
    }

    /**
     * Opens a session; {@code handler} is alone in its pipeline. Called from any thread as long as each session has a socket
     * of its own, else from one.
     */
    KcpFuture<KcpChannel> open(ChannelHandler handler) {
        if (own.incrementAndGet() <= ownSockets) {
            KcpFuture<KcpChannel> session = options.newClient(group).handler(handler).connect(server);
            session.channel().closeFuture().addListener(closed -> own.decrementAndGet());
            return session;
        }
        own.decrementAndGet();
        int index = sharing++ % mostShared;
        if (index == shared.size()) {
            addShared();
        }
        return shared.get(index).connect(server, sharing, new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                options.sessionOptions().forEach((option, value) -> session.config().setOption(LoadOptions.cast(option), value));
                session.pipeline().addLast(handler);
            }
        });
    }

    /** A session on a socket that more may come to. */
    private void addShared() {
        KcpHandler sessions = KcpHandler.client().build();
        sharedChannels.add(new Bootstrap().group(group).channel(channelType(options.transport))
            .handler(new ChannelInitializer<DatagramChannel>() {
                @Override
                protected void initChannel(DatagramChannel socket) {
                    addHandlers(socket.pipeline(), sessions);
                }
            }).connect(server).syncUninterruptibly().channel());
        shared.add(sessions);
    }

    private void addHandlers(ChannelPipeline pipeline, KcpHandler sessions) {
        CryptoConfig crypto = options.layers.crypto();
        if (crypto != null) {
            pipeline.addLast(new CryptoCodec(crypto));
        }
        pipeline.addLast(new FecCodec(options.layers.fec()), sessions);
    }

    private static Class<? extends DatagramChannel> channelType(KcpTransport transport) {
        return switch (transport) {
            case EPOLL -> EpollDatagramChannel.class;
            case NIO -> NioDatagramChannel.class;
            default -> throw new IllegalArgumentException("transport: " + transport + " (expected: EPOLL or NIO for shared sockets)");
        };
    }

    @Override
    public void close() {
        sharedChannels.forEach(Channel::close);
    }
}
