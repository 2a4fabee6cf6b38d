package io.kcp.examples;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpAddressChangeEvent;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpMtuEvent;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.tools.command.WireOptions;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Program that runs on one side of a {@link KernelNetwork}, and exchanges data with a peer. It prints the events of
 * {@code src/interop/go/README.md} that {@link KernelPathTests} reads, and exits when its standard input closes.
 */
@Command(name = "kernel-path-peer")
final class KernelPathPeer implements Callable<Integer> {

    private static final int WRITE_BYTES = 16_384;
    private static final int WINDOW_SEGMENTS = 1_024;
    private static final long CLIENT_SEED = 1;
    private static final long SERVER_SEED = 2;

    @Option(names = "--listen", description = "run a server at this address")
    String listenAddress = "";

    @Option(names = "--connect", description = "run a client of the server at this address")
    String connectAddress = "";

    @Option(names = "--port", required = true)
    int port;

    @Option(names = "--send", required = true, description = "bytes to send")
    long send;

    @Option(names = "--receive", required = true, description = "bytes to receive")
    long receive;

    @Option(names = "--transport")
    KcpTransport transport = KcpTransport.best();

    @Option(names = "--mtu")
    int mtuBytes = 1_400;

    @Option(names = "--mtu-search", description = "largest MTU to search for")
    int mtuSearchLimitBytes;

    @Option(names = "--sockets", description = "sockets of the server, each on its own event loop")
    int sockets = 1;

    @Option(names = "--roaming")
    boolean roaming;

    @Option(names = "--dead-peer-ms")
    int deadPeerMs = 30_000;

    @Option(names = "--backoff-ms", description = "limit of the retransmission timeout")
    int backoffLimitMs = 2_000;

    @Option(names = "--congestion-control")
    CongestionAlgorithm congestionControl = CongestionAlgorithm.NONE;

    @Mixin
    WireOptions wire = new WireOptions();

    /** Counts the events of the session and measures the longest time without data. */
    private static final class Observer extends ChannelInboundHandlerAdapter {

        private long lastReadNs;
        private volatile long longestGapNs;
        private volatile int moves;
        private volatile int newMtuBytes;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            long nowNs = System.nanoTime();
            if (lastReadNs == 0) {
                System.out.println("{\"event\":\"receiving\"}");
            } else {
                longestGapNs = Math.max(longestGapNs, nowNs - lastReadNs);
            }
            lastReadNs = nowNs;
            context.fireChannelRead(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof KcpAddressChangeEvent) {
                moves = moves + 1;
            } else if (event instanceof KcpMtuEvent mtu) {
                newMtuBytes = mtu.mtuBytes();
            }
            context.fireUserEventTriggered(event);
        }
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new KernelPathPeer()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(sockets, transport.ioHandlerFactory());
        Observer observer = new Observer();
        KcpConfig config = KcpConfig.builder().noDelay(true, 10, 2, congestionControl).windows(WINDOW_SEGMENTS)
            .mtuBytes(mtuBytes).mtuSearchLimitBytes(mtuSearchLimitBytes).mode(KcpTransferMode.STREAM)
            .deadPeerTimeoutMs(deadPeerMs).backoffLimitMs(backoffLimitMs).build();
        ExchangeSession exchange = new ExchangeSession(listenAddress.isEmpty() ? CLIENT_SEED : SERVER_SEED, send, receive, WRITE_BYTES);
        CompletableFuture<KcpChannel> opened = new CompletableFuture<>();
        ChannelInitializer<KcpChannel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(observer, exchange);
                opened.complete(session);
            }
        };
        if (listenAddress.isEmpty()) {
            wire.apply(new KcpBootstrap()).group(group).config(config).roaming(roaming).handler(initializer)
                .connect(connectAddress, port).sync();
        } else {
            wire.apply(new KcpServerBootstrap()).group(group).config(config).roaming(roaming).sockets(sockets).childHandler(initializer)
                .bind(listenAddress, port).sync();
            System.out.println("{\"event\":\"ready\",\"port\":" + port + '}');
        }
        print(exchange, observer, opened);
        while (System.in.read() >= 0) {
            // Serves the peer until the test closes standard input.
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        return 0;
    }

    private static void print(ExchangeSession exchange, Observer observer, CompletableFuture<KcpChannel> opened)
        throws InterruptedException, ExecutionException {
        try {
            exchange.done.get();
        } catch (ExecutionException failed) {
            System.out.println("{\"event\":\"error\",\"mtu\":" + observer.newMtuBytes + ",\"message\":\"" + failed.getCause() + "\"}");
            return;
        }
        System.out.printf(Locale.ROOT, "{\"event\":\"session\",\"sent_sha256\":\"%s\",\"received_sha256\":\"%s\",\"moves\":%d,"
            + "\"mtu\":%d,\"longest_gap_ms\":%d,\"retransmitted\":%d}%n", exchange.sentSha256(), exchange.receivedSha256(), observer.moves,
            observer.newMtuBytes, TimeUnit.NANOSECONDS.toMillis(observer.longestGapNs),
            opened.get().collectStats().get().counters().retransmissions());
    }
}
