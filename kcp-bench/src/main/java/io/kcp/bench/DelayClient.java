package io.kcp.bench;

import io.kcp.core.KcpStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpSessionStats;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends messages at a fixed rate. */
@Command(name = "client", description = "Sends messages at a fixed rate.", mixinStandardHelpOptions = true)
final class DelayClient implements Callable<Integer> {

    @Mixin
    DelayOptions options = new DelayOptions();

    @Option(names = "--connect", required = true, description = "port of the server")
    int port;

    @Option(names = "--sessions", defaultValue = "1", description = "each with its own socket (${DEFAULT-VALUE})")
    int sessions;

    @Option(names = "--rate", defaultValue = "50", description = "messages per second and session (${DEFAULT-VALUE})")
    double ratePerSecond;

    @Option(names = "--warmup", defaultValue = "1", description = "seconds before measuring (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--seconds", defaultValue = "10", description = "measured time (${DEFAULT-VALUE})")
    double seconds;

    @Override
    public Integer call() throws IOException {
        MultiThreadIoEventLoopGroup group = options.newGroup();
        List<KcpChannel> channels = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            ChannelHandler nothing = new ChannelInboundHandlerAdapter();
            channels.add(options.newClient(group).handler(nothing)
                .connect(new InetSocketAddress(options.host, port)).syncUninterruptibly().channel());
        }
        JsonLine.event("ready").put("transport", options.transport.name()).print();
        DelaySender.Plan plan = DelaySender.Plan.of(ratePerSecond, warmupSeconds, seconds, options.messageBytes);
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            sent.add(DelaySender.start(channels.get(i), plan, (double) i / sessions));
        }
        CompletableFuture.delayedExecutor(plan.measuredFromNs() - System.nanoTime(), TimeUnit.NANOSECONDS)
            .execute(JsonLine.event("measuring")::print);
        long messages = sent.stream().mapToLong(CompletableFuture::join).sum();
        KcpStats stats = channels.stream().map(channel -> channel.collectStats().syncUninterruptibly().getNow())
            .map(KcpSessionStats::counters).reduce(KcpStats.ZERO, KcpStats::plus);
        JsonLine.event("result").put("sent", messages).put("datagrams_out", stats.datagramsOut())
            .put("retransmissions", stats.retransmissions()).print();
        System.in.transferTo(OutputStream.nullOutputStream());
        group.shutdownGracefully();
        return 0;
    }
}
