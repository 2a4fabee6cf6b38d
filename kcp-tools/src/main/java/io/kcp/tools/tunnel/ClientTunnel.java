package io.kcp.tools.tunnel;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs a tunnel client, which accepts local connections and transfers each connection over a smux stream. */
final class ClientTunnel implements RunningTunnel {

    /** Limits the time that closing the sessions may take after the drain time. A session lingers for up to 5 s. */
    private static final int CLOSE_EXTRA_SECONDS = 10;
    private static final int BACKLOG = 1_024;

    private final EventLoopGroup loops;
    private final StreamCounters counters = new StreamCounters();
    private final SessionPool pool;
    private final Channel listener;
    private final int drainSeconds;

    private ClientTunnel(EventLoopGroup loops, ClientOptions options, StreamSockets sockets, TunnelLog log)
        throws IOException, InterruptedException {
        this.loops = loops;
        TunnelOptions common = options.common();
        drainSeconds = common.drainSeconds();
        KcpBootstrap bootstrap = common.configure(new KcpBootstrap().group(loops)).config(common.kcp())
            .socketBufferBytes(common.socketBufferBytes())
            .resolver(sockets.resolver())
            .handler(new SessionInitializer(common.compression(), common.smux(false), log, 0));
        if (common.trafficClass() != 0) {
            bootstrap.socketOption(ChannelOption.IP_TOS, common.trafficClass());
        }
        pool = new SessionPool(bootstrap, options, log);
        StreamAddress local = options.local();
        if (local.unixPath() != null) {
            // A tunnel client that was killed leaves its socket file behind, and the file would make the bind fail.
            Files.deleteIfExists(Path.of(local.unixPath()));
        }
        // Uses Bootstrap instead of ServerBootstrap, because LocalAcceptor chooses the event loop of each connection.
        Bootstrap acceptor = new Bootstrap().group(loops).channelFactory(sockets.serverSockets(local))
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .handler(new LocalAcceptor(pool, common.closeWaitSeconds(), counters, log));
        if (!local.isUnix()) {
            acceptor.option(ChannelOption.SO_REUSEADDR, true);
        }
        ChannelFuture binding = acceptor.bind(sockets.local(local)).await();
        if (!binding.isSuccess()) {
            throw new IOException("cannot listen on " + local + ": " + binding.cause().getMessage(), binding.cause());
        }
        listener = binding.channel();
        log.info("listening on " + listener.localAddress());
    }

    /**
     * Starts to listen. Sessions are opened when they are needed.
     *
     * @throws IOException if the local address is in use; all resources are then released
     */
    static ClientTunnel start(ClientOptions options, TunnelLog log) throws IOException, InterruptedException {
        StreamSockets sockets = new StreamSockets(options.common().transport());
        EventLoopGroup loops = sockets.newEventLoops();
        try {
            return new ClientTunnel(loops, options, sockets, log);
        } catch (IOException | InterruptedException | RuntimeException failed) {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw failed;
        }
    }

    /** Returns the address on which local connections are accepted. */
    SocketAddress localAddress() {
        return listener.localAddress();
    }

    /** Returns the session that the next stream would use, after waiting until it is open. Used by tests. */
    KcpChannel session() {
        return pool.next().syncUninterruptibly().getNow();
    }

    @Override
    public StreamCounters counters() {
        return counters;
    }

    @Override
    public Future<KcpListenerStats> collectStats() {
        return pool.collectStats();
    }

    @Override
    public void drain() throws InterruptedException {
        listener.close().await();
        pool.drain(drainSeconds, CLOSE_EXTRA_SECONDS);
        close();
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
