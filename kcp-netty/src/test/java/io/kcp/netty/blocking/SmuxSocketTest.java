package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.smux.SmuxException;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.netty.smux.SmuxVersion;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests blocking sockets on smux streams over a KCP session. */
@Timeout(60)
@Tag("jdk")
class SmuxSocketTest {

    private static final KcpConfig STREAM = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).windows(512).build();

    /** A KCP session with smux on both sides. */
    private static final class Streams implements AutoCloseable {

        final Loopback loopback = new Loopback(KcpTransport.best(), 2);
        final BlockingQueue<KcpSocket> accepted = new LinkedBlockingQueue<>();
        final KcpChannel session;

        Streams(SmuxVersion version) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel channel) {
                    channel.pipeline().addLast(
                        SmuxHandler.server().version(version).childHandler(KcpSocket.handler(accepted::add)).build());
                }
            }).config(STREAM));
            session = loopback.connect(loopback.client(SmuxHandler.client().version(version).lingerMs(500).build()).config(STREAM),
                server.localAddress());
        }

        KcpSocket open() throws IOException {
            return KcpSocket.openStream(session);
        }

        KcpSocket accept() throws InterruptedException {
            KcpSocket socket = accepted.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            assertThat(socket).isNotNull();
            return socket;
        }

        @Override
        public void close() {
            loopback.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothDirectionsEndWithFin(SmuxVersion version) throws Exception {
        byte[] content = new byte[1_500_000];
        new SplittableRandom(6).nextBytes(content);
        try (Streams streams = new Streams(version); KcpSocket client = streams.open()) {
            Blocked<Integer> writer = Blocked.start(() -> {
                client.getOutputStream().write(content);
                client.shutdownOutput();
                return content.length;
            });
            try (KcpSocket server = streams.accept()) {
                assertThat(server.getInputStream().readAllBytes()).isEqualTo(content);
                assertThat(writer.result()).isEqualTo(content.length);
                server.getOutputStream().write(content, 0, 1_000);
                server.shutdownOutput();
                assertThat(client.getInputStream().readAllBytes()).hasSize(1_000);
                assertThat(client.getInputStream().read()).isEqualTo(-1);
                assertThat(server.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeOfThePeerIsTheEndOfItsData(SmuxVersion version) throws Exception {
        try (Streams streams = new Streams(version)) {
            KcpSocket client = streams.open();
            client.getOutputStream().write(new byte[50_000]);
            client.close();
            try (KcpSocket server = streams.accept()) {
                assertThat(server.getInputStream().readAllBytes()).hasSize(50_000);
            }
        }
    }

    @Test
    void streamThatIsNotReadDoesNotStopAnother() throws Exception {
        try (Streams streams = new Streams(SmuxVersion.V2)) {
            KcpSocket stalled = streams.open();
            Blocked<Integer> writer = Blocked.start(() -> {
                stalled.getOutputStream().write(new byte[5_000_000]);
                return 0;
            });
            KcpSocket unread = streams.accept();
            try (KcpSocket client = streams.open(); KcpSocket server = streams.accept()) {
                Blocked<Integer> echo = Blocked.start(() -> {
                    client.getOutputStream().write(new byte[1_000_000]);
                    client.shutdownOutput();
                    return 0;
                });
                assertThat(server.getInputStream().readAllBytes()).hasSize(1_000_000);
                assertThat(echo.result()).isZero();
            }
            assertThat(writer.isDone()).isFalse();
            assertThat(unread.getInputStream().available()).isLessThan(2 * ReceiveHandoff.CAPACITY_BYTES);
            stalled.close();
            assertThat(writer.failure()).isInstanceOf(AsynchronousCloseException.class);
            unread.close();
        }
    }

    @Test
    void closeOfTheParentIsReportedAsAFailure() throws Exception {
        try (Streams streams = new Streams(SmuxVersion.V2); KcpSocket client = streams.open()) {
            Blocked<Integer> reader = Blocked.untilBlocked(() -> client.getInputStream().read());
            Loopback.ended(streams.session.close());
            assertThat(reader.failure()).isInstanceOf(KcpSocketException.class).hasCauseInstanceOf(SmuxException.class);
            assertThatThrownBy(streams::open).isInstanceOf(IOException.class);
        }
    }

    @Test
    void channelWithoutSmuxCannotOpenStreams() throws Exception {
        try (Streams streams = new Streams(SmuxVersion.V1)) {
            KcpChannel plain = streams.loopback.connect(streams.loopback.client(new ChannelInboundHandlerAdapter()),
                new InetSocketAddress("127.0.0.1", 9));
            assertThatThrownBy(() -> KcpSocket.openStream(plain)).isInstanceOf(IllegalStateException.class);
        }
    }
}
