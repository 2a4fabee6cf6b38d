package io.kcp.bench;

import io.kcp.core.KcpStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpSessionStats;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the clients have in common. */
@Command(mixinStandardHelpOptions = true)
abstract class LoadClient implements Callable<Integer> {

    @Mixin
    LoadOptions load = new LoadOptions();

    @Option(names = "--connect", required = true, description = "port on 127.0.0.1")
    int port;

    @Option(names = "--connections", defaultValue = "1", description = "sessions (${DEFAULT-VALUE})")
    int connections;

    abstract String kind();

    abstract ChannelHandler newHandler();

    /** Waits for the end of what the handlers do and returns what is to be printed about it. */
    abstract JsonLine measure(JsonLine line);

    @Override
    public Integer call() {
        MultiThreadIoEventLoopGroup group = load.newGroup();
        List<KcpChannel> sessions = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            sessions.add(connect(group));
        }
        JsonLine line = measure(JsonLine.event("bench").put("kind", kind()).put("transport", load.transport.name()));
        sessions.forEach(Channel::close);
        sessions.forEach(session -> session.closeFuture().syncUninterruptibly());
        KcpStats sum = sessions.stream().map(session -> session.collectStats().syncUninterruptibly().getNow())
            .map(KcpSessionStats::counters).reduce(KcpStats.ZERO, KcpStats::plus);
        line.put("sessions", connections).put("datagrams_in", sum.datagramsIn()).put("datagrams_out", sum.datagramsOut())
            .put("retransmissions", sum.retransmissions()).put("repeated", sum.repeatedSegments()).print();
        group.shutdownGracefully();
        return 0;
    }

    private KcpChannel connect(EventLoopGroup group) {
        return (KcpChannel) load.newClient(group)
            .handler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(newHandler());
                }
            }).connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).syncUninterruptibly().channel();
    }
}
