package io.kcp.bench;

import com.sun.management.UnixOperatingSystemMXBean;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens the client sessions of a load test. Each session has its own socket, like sessions of real clients. Sessions beyond the limit of
 * open files or of local ports share a few sockets. Terminating the event loops closes all sockets.
 */
final class ClientSockets {

    /** Maximum number of local ports to use. Linux has 28,232 ephemeral ports, some of which other programs need. */
    private static final int MAX_PORTS = 24_000;
    /** Number of file descriptors that are reserved for purposes other than sockets, such as JAR files and event loops. */
    private static final int OTHER_FILES = 512;
    private static final int DEFAULT_SHARED_SOCKETS = 64;

    private final LoadOptions options;
    private final EventLoopGroup group;
    private final InetSocketAddress server;
    private final int maxOwnSockets;
    private final int maxSharedSockets;
    private final List<KcpHandler> sharedHandlers = new ArrayList<>();
    private final AtomicInteger ownSockets = new AtomicInteger();
    private int sharedSessions;

    /** Creates the sockets of a client. If {@code shared} is greater than 0, all sessions share that number of sockets. */
    ClientSockets(LoadOptions options, EventLoopGroup group, InetSocketAddress server, int shared) {
        this.options = options;
        this.group = group;
        this.server = server;
        maxOwnSockets = shared > 0 ? 0 : maxSockets() - DEFAULT_SHARED_SOCKETS;
        maxSharedSockets = shared > 0 ? shared : DEFAULT_SHARED_SOCKETS;
    }

    private static int maxSockets() {
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount() - OTHER_FILES : MAX_PORTS;
        return (int) Math.max(2 * DEFAULT_SHARED_SOCKETS, Math.min(files, MAX_PORTS));
    }

    /** Returns the number of open sockets. */
    int count() {
        return ownSockets.get() + sharedHandlers.size();
    }

    /**
     * Opens a session whose pipeline contains only {@code handler}. Thread-safe while each session has its own socket; sessions that share
     * sockets must be opened by one thread.
     */
    KcpFuture<KcpChannel> open(ChannelHandler handler) {
        if (ownSockets.incrementAndGet() <= maxOwnSockets) {
            KcpFuture<KcpChannel> session = options.newClient(group).handler(handler).connect(server);
            session.channel().closeFuture().addListener(closed -> ownSockets.decrementAndGet());
            return session;
        }
        ownSockets.decrementAndGet();
        int index = sharedSessions++ % maxSharedSockets;
        if (index == sharedHandlers.size()) {
            openSharedSocket();
        }
        return sharedHandlers.get(index).connect(server, sharedSessions, handler, options.sessionOptions(), Map.of());
    }

    private void openSharedSocket() {
        ChannelHandler sessions = new KcpClientHandlerBuilder().crypto(options.layers.crypto()).fec(options.layers.fec())
            .gsoDatagrams(1).gro(false).buildPipeline();
        Channel socket = new Bootstrap().group(group).channelFactory(options.transport.channelFactory()).handler(sessions).connect(server)
            .syncUninterruptibly().channel();
        sharedHandlers.add(socket.pipeline().get(KcpHandler.class));
    }
}
