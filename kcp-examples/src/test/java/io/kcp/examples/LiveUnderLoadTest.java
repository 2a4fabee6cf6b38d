package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.testkit.LossyLinkHandler;
import io.kcp.tools.command.WireOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Live clients connect to a server that is under load. The clients retransmit their first datagram and acknowledge the probe of the server,
 * which proves their address, and then exchange data with the server.
 */
@Tag("interop")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveUnderLoadTest {

    private static final int BYTES = 100_000;
    private static final long LINK_SEED = 5;
    private static final String PASSWORD = "it's a live one";
    private static final int LOAD_INTERVAL_MS = 200;
    private static final int LOAD_TIMEOUT_SECONDS = 20;
    private static final LinkConditions LOSSY = new LinkConditions(10, 20, 0, 0, 0);

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(1);

    /** One combination of the test matrix. */
    record Cell(String peer, String cipher, boolean fec, LinkConditions link) {

        private @Nullable CryptoConfig crypto() {
            return cipher.equals(WireOptions.NO_CIPHER) ? null : CryptoConfig.kcptun(cipher, PASSWORD);
        }
    }

    /** Returns each received message to its sender. */
    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }

    /**
     * Keeps a server under load. Sends first datagrams, each with another conversation id, and never responds. The first of them opens a
     * session, which exceeds the permitted number of unvalidated sessions for ten seconds.
     */
    private static final class Load implements AutoCloseable {

        private final DatagramSocket socket;
        private final InetSocketAddress server;
        private final @Nullable DatagramCipher cipher;
        private @Nullable ScheduledFuture<?> task;
        private int conv;

        Load(InetSocketAddress server, @Nullable CryptoConfig crypto) throws IOException {
            this.server = server;
            socket = new DatagramSocket();
            cipher = crypto == null ? null : crypto.newCipher(new SecureRandom()::nextBytes);
        }

        void begin() {
            task = LOOPS.group().scheduleAtFixedRate(this::send, 0, LOAD_INTERVAL_MS, TimeUnit.MILLISECONDS);
        }

        private void send() {
            ByteBuf datagram = Unpooled.directBuffer();
            try {
                int head = cipher == null ? 0 : cipher.headBytes();
                datagram.ensureWritable(head).setIndex(head, head);
                datagram.ensureWritable(SegmentHeader.LENGTH);
                SegmentHeader.write(datagram, ++conv, SegmentHeader.CMD_PUSH, 0, 128, 0, 0, 0, 0);
                if (cipher != null) {
                    cipher.seal(datagram);
                }
                byte[] bytes = new byte[datagram.readableBytes()];
                datagram.readBytes(bytes);
                socket.send(new DatagramPacket(bytes, bytes.length, server));
            } catch (IOException lost) {
                // Ignores the failure, because the task sends another datagram soon.
            } finally {
                datagram.release();
            }
        }

        @Override
        public void close() {
            if (task != null) {
                task.cancel(false);
            }
            socket.close();
        }
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (LinkConditions link : List.of(LinkConditions.PERFECT, LOSSY)) {
            for (String peer : List.of("kcppeer-5.6.72", "kcppeer-5.6.1", "c")) {
                cells.add(new Cell(peer, WireOptions.NO_CIPHER, false, link));
            }
            for (String peer : List.of("kcppeer-5.6.72", "kcppeer-5.6.1")) {
                cells.add(new Cell(peer, WireOptions.NO_CIPHER, true, link));
            }
            cells.add(new Cell("kcppeer-5.6.72", "aes-128-gcm", true, link));
        }
        return cells.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void clientsConnect(Cell cell) throws Exception {
        assertThat(PeerProcess.isInstalled(cell.peer)).as("%s is built; src/interop/install.sh does it", cell.peer).isTrue();
        CryptoConfig crypto = cell.crypto();
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().group(LOOPS.group()).crypto(crypto).maxUnvalidatedSessions(1)
            .config(KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build()).childHandler(new Echo());
        if (cell.fec) {
            bootstrap.fec(FecConfig.of(10, 3));
        }
        bootstrap.sockets(1).datagramHandler(new LossyLinkHandler(cell.link.profile(), LINK_SEED));
        KcpServerChannel server = bootstrap.bind("127.0.0.1", 0).sync().channel();
        InetSocketAddress address = Objects.requireNonNull(server.localAddress());
        try (Load load = new Load(address, crypto)) {
            load.begin();
            awaitLoad(server);
            try (PeerProcess client = PeerProcess.start(cell.peer, "client", options(cell, address.getPort()))) {
                client.await("session", 60);
            }
            KcpListenerStats stats = server.collectStats().get(30, TimeUnit.SECONDS);
            assertThat(stats.dropped()).containsKeys(DropReason.FIRST_ARRIVAL, DropReason.UNPROVEN_ADDRESS);
        } finally {
            server.close().sync();
        }
    }

    private static void awaitLoad(KcpServerChannel server) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LOAD_TIMEOUT_SECONDS);
        while (server.collectStats().get(30, TimeUnit.SECONDS).activeSessions() == 0) {
            assertThat(System.nanoTime()).as("deadline for the first session").isLessThan(deadline);
        }
    }

    private static List<String> options(Cell cell, int port) {
        List<String> options = new ArrayList<>(List.of("--action", "echo", "--bytes", Integer.toString(BYTES), "--timeout", "60",
            "--linger-ms", "300", "--mode", "stream", "--connect", "127.0.0.1:" + port));
        if (!cell.cipher.equals(WireOptions.NO_CIPHER)) {
            options.addAll(List.of("--crypt", cell.cipher, "--key", PASSWORD));
        }
        if (cell.fec) {
            options.addAll(List.of("--datashard", "10", "--parityshard", "3"));
        }
        return options;
    }
}
