package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.LineBasedFrameDecoder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests blocking sockets on real KCP sessions. */
@Timeout(120)
@Tag("jdk")
class KcpSocketTest {

    private static final KcpConfig WIDE = KcpConfig.fast3().toBuilder().windows(1_024).build();

    /** Sends everything back that is received, and returns the number of bytes. */
    private static int echo(KcpSocket socket, int total) throws IOException {
        byte[] part = new byte[8_192];
        int echoed = 0;
        while (echoed < total) {
            int bytes = socket.getInputStream().read(part);
            socket.getOutputStream().write(part, 0, bytes);
            echoed += bytes;
        }
        return echoed;
    }

    @ParameterizedTest
    @EnumSource
    void bytesAreEchoed(KcpTransport transport) throws Exception {
        long seed = 5;
        SplittableRandom random = new SplittableRandom(seed);
        byte[] content = new byte[5_000_000];
        random.nextBytes(content);
        try (BlockingPair pair = new BlockingPair(transport, WIDE)) {
            Blocked<Integer> echo = Blocked.start(() -> echo(pair.accepted, content.length));
            Blocked<Integer> writer = Blocked.start(() -> {
                int written = 0;
                while (written < content.length) {
                    int bytes = Math.min(content.length - written, random.nextInt(1, 1 << random.nextInt(1, 17)));
                    pair.client.getOutputStream().write(content, written, bytes);
                    written += bytes;
                }
                return written;
            });
            byte[] received = pair.client.getInputStream().readNBytes(content.length);
            assertThat(Arrays.equals(received, content)).as("seed " + seed).isTrue();
            assertThat(writer.result()).isEqualTo(content.length);
            assertThat(echo.result()).isEqualTo(content.length);
        }
    }

    @Test
    void linesOfTextAreExchanged() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PrintWriter out = new PrintWriter(pair.client.getOutputStream(), true, StandardCharsets.UTF_8);
            BufferedReader in = new BufferedReader(new InputStreamReader(pair.accepted.getInputStream(), StandardCharsets.UTF_8));
            for (int i = 0; i < 100; i++) {
                out.println("line " + i);
                assertThat(in.readLine()).isEqualTo("line " + i);
            }
        }
    }

    @Test
    void streamsFollowTheirContract() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            InputStream in = pair.accepted.getInputStream();
            OutputStream out = pair.client.getOutputStream();
            assertThat(in.read(new byte[0])).isZero();
            assertThat(pair.accepted.read(ByteBuffer.allocate(0))).isZero();
            assertThat(in.available()).isZero();
            assertThatThrownBy(() -> in.read(new byte[3], 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> in.read(new byte[3], -1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> out.write(new byte[3], 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> in.read(null, 0, 1)).isInstanceOf(NullPointerException.class);
            out.write(0x1ff);
            assertThat(in.read()).isEqualTo(0xff);
            out.write(new byte[0]);
            out.write(new byte[] {1, 2, 3, 4, 5}, 1, 3);
            out.flush();
            byte[] target = new byte[10];
            assertThat(in.readNBytes(target, 4, 3)).isEqualTo(3);
            assertThat(target).containsExactly(0, 0, 0, 0, 2, 3, 4, 0, 0, 0);
            ByteBuffer direct = ByteBuffer.allocateDirect(5);
            pair.client.write(ByteBuffer.wrap(new byte[] {7, 8}));
            while (direct.position() < 2) {
                pair.accepted.read(direct);
            }
            assertThat(direct.get(1)).isEqualTo((byte) 8);
            out.write(9);
            await().atMost(Duration.ofSeconds(30)).until(() -> in.available() == 1);
            assertThat(in.skip(1)).isEqualTo(1);
            in.close();
            assertThat(pair.accepted.isClosed()).isTrue();
            assertThatThrownBy(in::read).isInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(() -> in.read(new byte[0])).isInstanceOf(ClosedChannelException.class);
            out.close();
            assertThatThrownBy(() -> out.write(1)).isInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(() -> out.write(new byte[0])).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void readTimesOutAndContinues() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            pair.accepted.setSoTimeout(1);
            assertThat(pair.accepted.getSoTimeout()).isEqualTo(1);
            assertThatThrownBy(() -> pair.accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            pair.accepted.setSoTimeout(0);
            pair.client.getOutputStream().write(3);
            assertThat(pair.accepted.getInputStream().read()).isEqualTo(3);
            assertThatThrownBy(() -> pair.accepted.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        }
    }

    @Test
    void sessionsUseStreamMode() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            assertThat(pair.client.channel().config().getOption(KcpChannelOption.MODE)).isEqualTo(KcpTransferMode.STREAM);
            assertThat(pair.accepted.channel().config().getOption(KcpChannelOption.MODE)).isEqualTo(KcpTransferMode.STREAM);
            assertThatThrownBy(() -> pair.client.shutdownOutput()).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("one direction");
        }
    }

    @Test
    void closeOfTheSessionIsReportedWithItsReason() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            pair.client.getOutputStream().write(4);
            await().atMost(Duration.ofSeconds(30)).until(() -> pair.accepted.getInputStream().available() == 1);
            Loopback.ended(((KcpChannel) pair.accepted.channel()).closeBecause(new IllegalStateException("game over")));
            assertThat(pair.accepted.getInputStream().read()).isEqualTo(4);
            assertThatThrownBy(() -> pair.accepted.getInputStream().read()).isInstanceOfSatisfying(KcpSocketException.class,
                closed -> assertThat(closed.reason()).isEqualTo(KcpCloseReason.APPLICATION_FAILED));
            assertThatThrownBy(() -> pair.accepted.getOutputStream().write(1)).isInstanceOfSatisfying(KcpSocketException.class,
                closed -> assertThat(closed.reason()).isEqualTo(KcpCloseReason.APPLICATION_FAILED));
            assertThat(pair.accepted.isClosed()).isFalse();
        }
    }

    @Test
    void goneOrIdlePeerEndsReadsWithAnExceptionAndNotWithMinusOne() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.accepted.getInputStream().read());
            KcpChannel session = (KcpChannel) pair.accepted.channel();
            session.config().setKeepaliveMs(0).setIdleTimeoutMs(1_000);
            assertThat(reader.failure()).isInstanceOfSatisfying(KcpSocketException.class,
                closed -> assertThat(closed.reason()).isEqualTo(KcpCloseReason.IDLE));
        }
    }

    @Test
    void directCloseOfTheChannelEndsReads() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.accepted.getInputStream().read());
            pair.accepted.channel().close();
            assertThat(reader.failure()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void closeSendsStoredData() throws Exception {
        byte[] content = new byte[60_000];
        new SplittableRandom(3).nextBytes(content);
        try (BlockingPair pair = new BlockingPair()) {
            pair.client.getOutputStream().write(content);
            pair.client.close();
            assertThat(pair.accepted.getInputStream().readNBytes(content.length)).isEqualTo(content);
            pair.client.close(Duration.ofSeconds(Loopback.PATIENCE_S));
        }
    }

    @Test
    void closeWithDurationReportsLostData() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            // The peer reads nothing, so that its window closes before all data has arrived.
            pair.client.setWriteTimeout(200);
            assertThatThrownBy(() -> pair.client.getOutputStream().write(new byte[5_000_000])).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> pair.client.close(Duration.ofSeconds(Loopback.PATIENCE_S)))
                .isInstanceOfSatisfying(KcpSocketException.class,
                    lost -> assertThat(lost.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED));
        }
    }

    @Test
    void closeOfTheServerSendsStoredData() throws Exception {
        byte[] content = new byte[60_000];
        try (BlockingPair pair = new BlockingPair()) {
            pair.accepted.getOutputStream().write(content);
            pair.server.close();
            assertThat(pair.client.getInputStream().readNBytes(content.length)).isEqualTo(content);
        }
    }

    @Test
    void dataPassesThroughTheHandlersOfTheApplication() throws Exception {
        try (BlockingPair pair = new BlockingPair();
            KcpServerSocket lines = KcpServerSocket.bind(pair.loopback.server(new ChannelInboundHandlerAdapter()), Loopback.anyPort(),
                new ChannelInitializer<KcpChannel>() {
                    @Override
                    protected void initChannel(KcpChannel session) {
                        session.pipeline().addLast(new LineBasedFrameDecoder(100, true, true));
                    }
                });
            KcpSocket client = KcpSocket.connect(pair.bootstrap(), lines.localAddress())) {
            client.getOutputStream().write("a\nb\n".getBytes(StandardCharsets.UTF_8));
            KcpSocket accepted = lines.accept();
            assertThat(accepted.getInputStream().readNBytes(2)).isEqualTo("ab".getBytes(StandardCharsets.UTF_8));
            client.getOutputStream().write(new byte[200]);
            assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOfSatisfying(KcpSocketException.class,
                failed -> assertThat(failed).hasMessageContaining("frame length"));
            BlockingPair.closed(client);
            BlockingPair.closed(accepted);
            BlockingPair.closed(lines);
        }
    }

    @Test
    void messageOfAnotherTypeClosesTheSocket() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            pair.accepted.channel().pipeline().fireChannelRead("text");
            assertThatThrownBy(() -> pair.accepted.getInputStream().read()).isInstanceOf(KcpSocketException.class)
                .hasMessageContaining("expected: ByteBuf");
        }
    }

    @Test
    void failureToConnectIsReported() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            InetSocketAddress unknown = InetSocketAddress.createUnresolved("name.invalid", 9);
            assertThatThrownBy(() -> KcpSocket.connect(pair.bootstrap(), unknown)).isInstanceOf(KcpSocketException.class)
                .hasMessageContaining("name.invalid");
            assertThatThrownBy(() -> KcpServerSocket.bind(pair.loopback.server(new ChannelInboundHandlerAdapter()),
                pair.server.localAddress())).isInstanceOf(KcpSocketException.class);
        }
    }

    @Test
    void consumerReceivesEachSession() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            KcpServerChannel server = pair.loopback.bind(KcpSocket.handler(socket -> Blocked.start(() -> echo(socket, 3))));
            try (KcpSocket client = KcpSocket.connect(pair.bootstrap(), server.localAddress())) {
                client.getOutputStream().write(new byte[] {1, 2, 3});
                assertThat(client.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
                BlockingPair.closed(client);
            }
        }
    }

    @Test
    void failureOfTheConsumerClosesTheSession() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            KcpSocket[] opened = new KcpSocket[1];
            KcpServerChannel server = pair.loopback.bind(KcpSocket.handler(socket -> {
                opened[0] = socket;
                throw new RejectedExecutionException("no thread");
            }));
            try (KcpSocket client = KcpSocket.connect(pair.bootstrap(), server.localAddress())) {
                client.getOutputStream().write(1);
                await().atMost(Duration.ofSeconds(30)).until(() -> opened[0] != null && !opened[0].channel().isOpen());
                assertThatThrownBy(() -> opened[0].getInputStream().read()).hasMessageContaining("no thread");
                BlockingPair.closed(client);
            }
        }
    }

    @Test
    void bytesWrittenToTheChannelByOthersAreSentToo() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            pair.client.channel().writeAndFlush(Unpooled.wrappedBuffer(new byte[] {5}));
            assertThat(pair.accepted.getInputStream().read()).isEqualTo(5);
        }
    }
}
