package io.kcp.bench;

import io.kcp.core.KcpStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the servers have in common: they measure until nothing comes any more. */
@Command(mixinStandardHelpOptions = true)
abstract class LoadServer implements Callable<Integer> {

    @Mixin
    LoadOptions load = new LoadOptions();

    @Option(names = "--listen", defaultValue = "0", description = "port on 127.0.0.1, 0 for any")
    int port;

    @Option(names = "--warmup", defaultValue = "2", description = "seconds after the first byte (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--idle-ms", defaultValue = "1500", description = "quiet time that ends it (${DEFAULT-VALUE})")
    long quietMs;

    final LoadMeter meter = new LoadMeter();

    abstract String kind();

    abstract ChannelHandler newHandler();

    @Override
    public Integer call() {
        MultiThreadIoEventLoopGroup group = load.newGroup();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        KcpServerChannel server = (KcpServerChannel) load.newServer(group)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(newHandler());
                }
            }).bind(address).syncUninterruptibly().channel();
        int boundPort = Objects.requireNonNull(server.localAddress(), "localAddress").getPort();
        JsonLine.event("ready").put("port", boundPort).put("transport", load.transport.name()).print();
        LoadMeter.Measurement measurement = meter.untilQuiet(warmupSeconds, quietMs);
        KcpListenerStats stats = server.collectStats().syncUninterruptibly().getNow();
        print(measurement, stats);
        group.shutdownGracefully();
        return 0;
    }

    private void print(LoadMeter.Measurement measurement, KcpListenerStats stats) {
        KcpStats sessions = stats.sessions();
        measurement.addTo(JsonLine.event("bench").put("kind", kind())).put("sessions", stats.openedSessions())
            .put("datagrams_in", sessions.datagramsIn()).put("datagrams_out", sessions.datagramsOut())
            .put("retransmissions", sessions.retransmissions()).put("repeated", sessions.repeatedSegments())
            .put("dropped", stats.droppedTotal()).put("socket_errors", stats.socketErrors()).print();
    }
}
