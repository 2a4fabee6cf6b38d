package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ten megabytes each way at the same time against kcp-go (two versions) and the C implementation, in both roles, over a
 * clean line and one that loses a fifth each way and takes 30 ms.
 */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LivePeerTest {

    private static final long BYTES = 10_000_000;
    private static final int OUR_MESSAGE_BYTES = 5_000;
    private static final int THEIR_MESSAGE_BYTES = 1_200;
    private static final int C_MESSAGE_BYTES = 30_000;
    private static final int STREAM_WRITE_BYTES = 16_384;
    private static final long CLIENT_SEED = 1;
    private static final long SERVER_SEED = 2;

    private static final LinkConditions LOSSY = new LinkConditions(20, 30, 0, 0, 0);
    private static final long RELAY_SEED = 7;

    private static EventLoopGroup group;

    /** One cell of the matrix. */
    record Cell(String peer, boolean peerIsServer, KcpMode mode, boolean lossy) {

        @Override
        public String toString() {
            return (peerIsServer ? "Java client, server " + peer : "client " + peer + ", Java server") + ", "
                + mode.name().toLowerCase(Locale.ROOT) + (lossy ? ", 20 % loss each way + 30 ms" : ", clean");
        }
    }

    @BeforeAll
    static void startLoops() {
        group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
    }

    @AfterAll
    static void stopLoops() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String peer : List.of("kcppeer-5.6.72", "kcppeer-5.6.1", "c")) {
            for (boolean peerIsServer : new boolean[] {true, false}) {
                for (KcpMode mode : KcpMode.values()) {
                    for (boolean lossy : new boolean[] {false, true}) {
                        cells.add(new Cell(peer, peerIsServer, mode, lossy));
                    }
                }
            }
        }
        return cells.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void bytesArriveBothWays(Cell cell) throws Exception {
        assumeTrue(PeerProcess.isInstalled(cell.peer), cell.peer + " is not built; run src/interop/install.sh");
        long startNanos = System.nanoTime();
        int ourWriteBytes = cell.mode == KcpMode.MESSAGE ? OUR_MESSAGE_BYTES : STREAM_WRITE_BYTES;
        ExchangeSession ours = new ExchangeSession(cell.peerIsServer ? CLIENT_SEED : SERVER_SEED, BYTES, ourWriteBytes);
        String theirs = cell.peerIsServer ? withOurClient(cell, ours) : withOurServer(cell, ours);
        assertThat(PeerProcess.field(theirs, "received_sha256")).isEqualTo(ours.sentSha256());
        assertThat(ours.receivedSha256()).isEqualTo(PeerProcess.field(theirs, "sent_sha256"));
        System.out.printf("  %-75s %6.1f s%n", cell, (System.nanoTime() - startNanos) / 1e9);
    }

    private static String withOurClient(Cell cell, ExchangeSession ours) throws Exception {
        try (PeerProcess peer = PeerProcess.start(cell.peer, "server", options(cell))) {
            int port = Integer.parseInt(PeerProcess.field(peer.await("ready", 30), "port"));
            InetSocketAddress target = new InetSocketAddress("127.0.0.1", port);
            try (LossyRelay relay = relay(cell, target)) {
                Channel session = new KcpBootstrap().group(group).config(config(cell)).handler(ours)
                    .connect(relay.address()).sync().channel();
                ours.done.get(120, TimeUnit.SECONDS);
                String result = peer.await("session", 60);
                session.close().sync();
                return result;
            }
        }
    }

    private static String withOurServer(Cell cell, ExchangeSession ours) throws Exception {
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel server = new KcpServerBootstrap().group(group).config(config(cell))
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(ours);
                    accepted.complete(session);
                }
            }).bind("127.0.0.1", 0).sync().channel();
        List<String> options = new ArrayList<>(options(cell));
        try (LossyRelay relay = relay(cell, (InetSocketAddress) server.localAddress())) {
            options.add("--connect");
            options.add("127.0.0.1:" + relay.address().getPort());
            try (PeerProcess peer = PeerProcess.start(cell.peer, "client", options)) {
                accepted.get(30, TimeUnit.SECONDS);
                ours.done.get(120, TimeUnit.SECONDS);
                return peer.await("session", 60);
            }
        } finally {
            server.close().sync();
        }
    }

    private static LossyRelay relay(Cell cell, InetSocketAddress target) throws Exception {
        return LossyRelay.start(target, cell.lossy ? LOSSY : LinkConditions.PERFECT, RELAY_SEED);
    }

    private static KcpConfig config(Cell cell) {
        return KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(1024).mode(cell.mode).build();
    }

    private static List<String> options(Cell cell) {
        List<String> options = new ArrayList<>(List.of("--action", "exchange", "--bytes", Long.toString(BYTES), "--timeout",
            "120", "--linger-ms", "1000", "--mode", cell.mode.name().toLowerCase(Locale.ROOT)));
        if (cell.mode == KcpMode.MESSAGE) {
            int bytes = cell.peer.equals("c") ? C_MESSAGE_BYTES : THEIR_MESSAGE_BYTES;
            options.addAll(List.of("--message-bytes", Integer.toString(bytes), "--peer-message-bytes",
                Integer.toString(OUR_MESSAGE_BYTES)));
        }
        return options;
    }
}
