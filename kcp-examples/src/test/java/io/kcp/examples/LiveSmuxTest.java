package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.netty.smux.SmuxHandlerBuilder;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.kcp.netty.smux.SmuxStreamChannelBootstrap;
import io.kcp.netty.smux.SmuxVersion;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Opens and closes 1,000 streams with the Go library of smux, in both roles, over TCP and KCP, in both versions. Every stream carries data
 * in both directions, and each direction ends with a FIN of its own. In version 2, other streams work while one stream is stalled.
 */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveSmuxTest {

    private static final String PEER = "smuxpeer";
    private static final int STREAMS = 1_000;
    private static final int PARALLEL = 50;
    private static final int MAX_BYTES = 20_000;
    private static final int STALLED_BYTES = 3_000_000;
    private static final int PATIENCE_S = 60;
    private static final KcpConfig KCP = KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(1_024)
        .mode(KcpTransferMode.STREAM).build();

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(KcpTransport.NIO, 2);

    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private PeerProcess peer;

    /** One combination of the test matrix. */
    record Cell(String transport, SmuxVersion version, boolean peerIsServer, boolean peerOpens) {

        @Override
        public String toString() {
            return transport + ", " + version + ", " + (peerIsServer ? "Java client" : "Java server") + ", streams opened by "
                + (peerOpens ? "Go" : "Java");
        }
    }

    /** Echoes data with back-pressure, and shuts the output down after the input has ended. */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.read();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message).addListener(written -> context.read());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ((SmuxStreamChannel) context.channel()).shutdownOutput();
            }
        }
    }

    /** Sends data followed by a FIN, and compares the echo with the data. */
    private static final class Exchange extends ChannelInboundHandlerAdapter {

        private final byte[] expected;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private int received;

        Exchange(long seed, int bytes) {
            expected = new byte[bytes];
            new SplittableRandom(seed).nextBytes(expected);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().buffer(Math.max(1, expected.length)).writeBytes(expected));
            ((SmuxStreamChannel) context.channel()).shutdownOutput();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            while (data.isReadable()) {
                if (received == expected.length || expected[received++] != data.readByte()) {
                    done.completeExceptionally(new AssertionError("wrong byte before " + received + " of " + expected.length));
                    break;
                }
            }
            data.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (received == expected.length) {
                done.complete(null);
            } else {
                done.completeExceptionally(new AssertionError(context.channel() + ": " + received + " of " + expected.length
                    + " bytes were returned; " + ((SmuxStreamChannel) context.channel()).closeCause()));
            }
        }
    }

    @BeforeAll
    static void requirePeer() {
        assumeTrue(PeerProcess.isInstalled(PEER), PEER + " is missing; build it with src/interop/install.sh");
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String transport : List.of("tcp", "kcp")) {
            for (SmuxVersion version : SmuxVersion.values()) {
                for (boolean peerIsServer : new boolean[] {true, false}) {
                    for (boolean peerOpens : new boolean[] {true, false}) {
                        cells.add(new Cell(transport, version, peerIsServer, peerOpens));
                    }
                }
            }
        }
        return cells.stream();
    }

    static Stream<Cell> stalledCells() {
        return cells().filter(cell -> cell.version == SmuxVersion.V2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void thousandStreamsCloseBothDirections(Cell cell) throws Exception {
        try {
            Channel parent = connect(cell, cell.peerOpens ? "open" : "accept");
            if (cell.peerOpens) {
                awaitPeer();
            } else {
                exchangeMany(parent);
            }
            awaitNoStreams(parent);
        } finally {
            close();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stalledCells")
    void stalledStreamDoesNotStopOthers(Cell cell) throws Exception {
        try {
            Channel parent = connect(cell, cell.peerOpens ? "stall" : "accept");
            if (cell.peerOpens) {
                awaitPeer();
            } else {
                Exchange stalled = new Exchange(1, STALLED_BYTES);
                SmuxStreamChannel stream = open(parent, stalled, false);
                exchangeMany(parent);
                assertThat(stalled.received).isZero();
                stream.config().setAutoRead(true);
                stalled.done.get(PATIENCE_S, TimeUnit.SECONDS);
            }
            awaitNoStreams(parent);
        } finally {
            close();
        }
    }

    // ---- peer and parent channel

    private Channel connect(Cell cell, String action) throws Exception {
        List<String> options = new ArrayList<>(List.of("--transport", cell.transport, "--smuxver",
            Integer.toString(cell.version.number()), "--action", action, "--streams", Integer.toString(STREAMS), "--bytes",
            Integer.toString(MAX_BYTES), "--stalled-bytes", Integer.toString(STALLED_BYTES)));
        if (cell.peerIsServer) {
            peer = PeerProcess.start(PEER, "server", options);
            opened.add(peer);
            int port = Integer.parseInt(PeerProcess.field(peer.await("ready", PATIENCE_S), "port"));
            return dial(cell, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        InetSocketAddress address = listen(cell);
        options.addAll(List.of("--connect", "127.0.0.1:" + address.getPort()));
        peer = PeerProcess.start(PEER, "client", options);
        opened.add(peer);
        // Over KCP the session opens with the first data of the client, which is a NOP frame after ten seconds at the latest.
        return accepted.poll(PATIENCE_S, TimeUnit.SECONDS);
    }

    private static ChannelInitializer<Channel> smux(SmuxHandlerBuilder builder, Cell cell, BlockingQueue<Channel> parents) {
        builder.version(cell.version).childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                    stream.pipeline().addLast(new Echo());
                }
            });
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(builder.build());
                parents.add(channel);
            }
        };
    }

    private Channel dial(Cell cell, InetSocketAddress address) throws Exception {
        ChannelInitializer<Channel> handler = smux(SmuxHandler.client(), cell, accepted);
        Channel parent = cell.transport.equals("kcp")
            ? new KcpBootstrap().group(LOOPS.group()).config(KCP).handler(handler).connect(address).sync().channel()
            : new Bootstrap().group(LOOPS.group()).channel(NioSocketChannel.class).handler(handler).connect(address).sync().channel();
        opened.add(() -> parent.close().await());
        if (cell.transport.equals("kcp") && cell.peerOpens) {
            // The Go server accepts a KCP session when it receives the first data.
            open(parent, new Exchange(2, 0), true);
        }
        return parent;
    }

    private InetSocketAddress listen(Cell cell) throws Exception {
        ChannelInitializer<Channel> handler = smux(SmuxHandler.server(), cell, accepted);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Channel listener = cell.transport.equals("kcp")
            ? new KcpServerBootstrap().group(LOOPS.group()).config(KCP).childHandler(handler).bind(any).sync()
                .channel()
            : new ServerBootstrap().group(LOOPS.group()).channel(NioServerSocketChannel.class).childHandler(handler).bind(any).sync()
                .channel();
        opened.add(() -> listener.close().await());
        return (InetSocketAddress) listener.localAddress();
    }

    private void close() throws Exception {
        for (AutoCloseable resource : opened) {
            resource.close();
        }
    }

    // ---- streams

    private void awaitPeer() throws InterruptedException {
        peer.await("done", PATIENCE_S);
    }

    private static SmuxStreamChannel open(Channel parent, Exchange exchange, boolean autoRead) throws InterruptedException {
        return new SmuxStreamChannelBootstrap(parent).option(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .option(ChannelOption.AUTO_READ, autoRead).handler(exchange).open().sync().getNow();
    }

    private static void exchangeMany(Channel parent) throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        List<Exchange> all = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            if (i >= PARALLEL) {
                all.get(i - PARALLEL).done.get(PATIENCE_S, TimeUnit.SECONDS);
            }
            Exchange exchange = new Exchange(i, random.nextInt(MAX_BYTES + 1));
            all.add(exchange);
            open(parent, exchange, true);
        }
        for (Exchange exchange : all) {
            exchange.done.get(PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    private static void awaitNoStreams(Channel parent) throws InterruptedException {
        SmuxHandler smux = parent.pipeline().get(SmuxHandler.class);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        int open = 1;
        while (open > 0 && System.nanoTime() < deadline) {
            open = smux.collectStats().sync().getNow().openStreams();
            Thread.onSpinWait();
        }
        assertThat(open).as("open streams").isZero();
        assertThat(parent.isActive()).isTrue();
    }
}
