package io.kcp.tools.tunnel;

import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a tunnel server, which accepts KCP sessions on all its ports and connects each of their streams to the target. */
final class ServerTunnel implements RunningTunnel {

    /** Limits the time that closing the sessions may take after the drain time. A session lingers for up to 5 s. */
    private static final int CLOSE_EXTRA_SECONDS = 10;

    private final EventLoopGroup loops;
    private final int drainSeconds;
    private final StreamCounters counters = new StreamCounters();
    private final List<KcpServerChannel> servers = new ArrayList<>();

    private ServerTunnel(EventLoopGroup loops, int drainSeconds) {
        this.loops = loops;
        this.drainSeconds = drainSeconds;
    }

    /**
     * Binds all ports.
     *
     * @throws IOException if a port is in use; the ports that were bound before are then closed
     */
    static ServerTunnel start(ServerOptions options, TunnelLog log) throws IOException, InterruptedException {
        TunnelOptions common = options.common();
        StreamSockets sockets = new StreamSockets(common.transport());
        EventLoopGroup loops = sockets.newEventLoops();
        ServerTunnel tunnel = new ServerTunnel(loops, common.drainSeconds());
        TargetConnector connector = new TargetConnector(options, sockets, tunnel.counters, log);
        SessionInitializer initializer = new SessionInitializer(common.compression(),
            common.smux(true).childHandler(connector)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), log, common.drainSeconds());
        PortRange ports = options.listen();
        KcpServerBootstrap bootstrap = common.configure(new KcpServerBootstrap().group(loops)).config(common.kcp())
            .socketBufferBytes(common.socketBufferBytes())
            .childHandler(initializer);
        if (ports.size() > 1) {
            bootstrap.sockets(1);
        }
        if (common.trafficClass() != 0) {
            bootstrap.option(ChannelOption.IP_TOS, common.trafficClass());
        }
        try {
            for (int port : ports.ports().toArray()) {
                tunnel.servers.add(bind(bootstrap, ports.host(), port));
            }
        } catch (IOException | InterruptedException failed) {
            tunnel.close();
            throw failed;
        }
        tunnel.servers.forEach(server -> log.info("listening on " + server.localAddress()));
        return tunnel;
    }

    private static KcpServerChannel bind(KcpServerBootstrap bootstrap, String host, int port) throws IOException, InterruptedException {
        var binding = (host.isEmpty() ? bootstrap.bind(port) : bootstrap.bind(host, port)).await();
        if (!binding.isSuccess()) {
            throw new IOException(binding.cause().getMessage(), binding.cause());
        }
        return binding.channel();
    }

    /** Returns the addresses of all ports, in ascending order. */
    List<InetSocketAddress> addresses() {
        return servers.stream().map(KcpServerChannel::localAddress).toList();
    }

    @Override
    public StreamCounters counters() {
        return counters;
    }

    @Override
    public Future<KcpListenerStats> collectStats() {
        Promise<KcpListenerStats> promise = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
        StatsSum sum = new StatsSum(servers.size(), promise);
        servers.forEach(server -> server.collectStats().addListener(sum));
        return promise;
    }

    @Override
    public void drain() throws InterruptedException {
        List<Future<?>> closing = new ArrayList<>();
        servers.forEach(server -> closing.add(server.close()));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(drainSeconds + CLOSE_EXTRA_SECONDS);
        for (Future<?> each : closing) {
            each.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        close();
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
