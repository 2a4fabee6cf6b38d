package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.testkit.LossyLinkHandler;
import io.kcp.tools.command.WireOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Live clients send one byte and receive 100 KB from a server whose amplification limit is active. The clients acknowledge the validation
 * probe of the server, and the probe does not change the received data.
 */
@Tag("interop")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveUnvalidatedTest {

    private static final int REPLY_BYTES = 100_000;
    private static final int MESSAGE_BYTES = 5_000;
    private static final long LINK_SEED = 3;
    private static final String PASSWORD = "it's a live one";
    private static final LinkConditions LOSSY = new LinkConditions(10, 20, 0, 0, 0);

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(1);

    /** One combination of the test matrix. */
    record Cell(String peer, KcpTransferMode mode, String cipher, boolean fec, int delayMs, LinkConditions link) {
    }

    /** Waits for some time after the first byte, and then sends the reply. */
    private static final class Replier extends SimpleChannelInboundHandler<ByteBuf> {

        private final byte[] reply;
        private final int delayMs;

        Replier(byte[] reply, int delayMs) {
            this.reply = reply;
            this.delayMs = delayMs;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf request) {
            ctx.executor().schedule(() -> {
                for (int sent = 0; sent < reply.length; sent += MESSAGE_BYTES) {
                    ctx.write(Unpooled.wrappedBuffer(reply, sent, MESSAGE_BYTES));
                }
                ctx.flush();
            }, delayMs, TimeUnit.MILLISECONDS);
        }
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String peer : List.of("kcppeer-5.6.72", "kcppeer-5.6.1", "c")) {
            for (KcpTransferMode mode : KcpTransferMode.values()) {
                cells.add(new Cell(peer, mode, WireOptions.NO_CIPHER, false, 0, LinkConditions.PERFECT));
                for (int delayMs : new int[] {0, 100, 1_000}) {
                    cells.add(new Cell(peer, mode, WireOptions.NO_CIPHER, false, delayMs, LOSSY));
                }
            }
        }
        for (String cipher : List.of("none", "xor")) {
            cells.add(new Cell("kcppeer-5.6.72", KcpTransferMode.MESSAGE, cipher, false, 0, LOSSY));
            cells.add(new Cell("kcppeer-5.6.72", KcpTransferMode.STREAM, cipher, true, 0, LOSSY));
        }
        return cells.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void longReplyToOneByteArrives(Cell cell) throws Exception {
        assertThat(PeerProcess.isInstalled(cell.peer)).as("%s is built; src/interop/install.sh does it", cell.peer).isTrue();
        byte[] reply = new byte[REPLY_BYTES];
        new SplittableRandom(1).nextBytes(reply);
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().group(LOOPS.group())
            .config(KcpConfig.fast3().toBuilder().mode(cell.mode).build()).childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new Replier(reply, cell.delayMs));
                }
            });
        if (!cell.cipher.equals(WireOptions.NO_CIPHER)) {
            bootstrap.crypto(CryptoConfig.kcptun(cell.cipher, PASSWORD));
        }
        if (cell.fec) {
            bootstrap.fec(FecConfig.of(10, 3));
        }
        bootstrap.sockets(1).datagramHandler(new LossyLinkHandler(cell.link.profile(), LINK_SEED));
        KcpServerChannel server = bootstrap.bind("127.0.0.1", 0).sync().channel();
        try (PeerProcess client = PeerProcess.start(cell.peer, "client", options(cell, Objects.requireNonNull(server.localAddress())
            .getPort()))) {
            String result = client.await("session", 60);
            assertThat(PeerProcess.field(result, "received_sha256"))
                .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(reply)));
        } finally {
            server.close().sync();
        }
    }

    private static List<String> options(Cell cell, int port) {
        List<String> options = new ArrayList<>(List.of("--action", "sink", "--bytes", Integer.toString(REPLY_BYTES), "--peer-seed", "none",
            "--timeout", "60", "--linger-ms", "300", "--mode", cell.mode.name().toLowerCase(Locale.ROOT), "--connect",
            "127.0.0.1:" + port));
        if (cell.mode == KcpTransferMode.MESSAGE) {
            options.addAll(List.of("--peer-message-bytes", Integer.toString(MESSAGE_BYTES)));
        }
        if (!cell.cipher.equals(WireOptions.NO_CIPHER)) {
            options.addAll(List.of("--crypt", cell.cipher, "--key", PASSWORD));
        }
        if (cell.fec) {
            options.addAll(List.of("--datashard", "10", "--parityshard", "3"));
        }
        return options;
    }
}
