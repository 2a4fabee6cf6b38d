package io.kcp.tools.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.netty.KcpChannel;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the tunnel client and the tunnel server together. */
@Timeout(120)
final class TunnelTest {

    private static final int MEGABYTE = 1 << 20;

    /** Options with which tests find out quickly that a session is lost. */
    private static final List<String> SHORT_TIMEOUT = List.of("--timeout", "2", "--keepalive", "1");

    private static byte[] random(int bytes) {
        byte[] data = new byte[bytes];
        new Random(1).nextBytes(data);
        return data;
    }

    private static String sha256(InputStream in) throws Exception {
        DigestInputStream digest = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"));
        digest.transferTo(OutputStream.nullOutputStream());
        return HexFormat.of().formatHex(digest.getMessageDigest().digest());
    }

    private static String sha256(byte[] data) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("30 s have passed").isNegative();
            new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
        }
    }

    private static void assertEcho(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        assertThat(socket.getInputStream().readNBytes(text.length())).asString(StandardCharsets.UTF_8).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"20, --crypt=null --datashard=0 --nocomp", "2, ''", "2, --nocomp --smuxver=1", "2, --crypt=aes-128-gcm --mode=fast3",
        "2, --transport=NIO"})
    @Tag("slow")
    void transfersDataInBothDirections(int megabytes, String options) throws Exception {
        byte[] data = random(megabytes * MEGABYTE);
        try (Target target = Target.echo();
             TunnelPair tunnel = TunnelPair.start(target.address(), options.isEmpty() ? new String[0] : options.split(" "));
             Socket socket = tunnel.connect()) {
            Target.daemon(() -> {
                socket.getOutputStream().write(data);
                socket.shutdownOutput();
            });
            assertThat(sha256(socket.getInputStream())).isEqualTo(sha256(data));
            assertThat(tunnel.server.counters().bytesToSockets()).isEqualTo(data.length);
            assertThat(tunnel.client.counters().bytesToSockets()).isEqualTo(data.length);
            await(() -> tunnel.server.counters().active() == 0 && tunnel.client.counters().active() == 0);
        }
    }

    @Test
    void halfCloseOfTheClientReachesTheTarget() throws Exception {
        try (Target target = Target.start(connection -> {
            byte[] request = connection.getInputStream().readAllBytes();
            connection.getOutputStream().write(("got " + request.length).getBytes(StandardCharsets.UTF_8));
        }); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = tunnel.connect()) {
            socket.getOutputStream().write(new byte[100_000]);
            socket.shutdownOutput();
            assertThat(socket.getInputStream().readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("got 100000");
        }
    }

    @Test
    void halfCloseOfTheTargetReachesTheClient() throws Exception {
        CountDownLatch received = new CountDownLatch(100_000);
        try (Target target = Target.start(connection -> {
            connection.getOutputStream().write(7);
            connection.shutdownOutput();
            while (connection.getInputStream().read() >= 0) {
                received.countDown();
            }
        }); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = tunnel.connect()) {
            socket.getOutputStream().write(new byte[1_000]);
            assertThat(socket.getInputStream().readAllBytes()).containsExactly(7);
            socket.getOutputStream().write(new byte[99_000]);
            assertThat(received.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void closeWaitClosesAnIdleHalfClosedConnection() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (Target target = Target.start(connection -> never.await());
             TunnelPair tunnel = TunnelPair.start(target.address(), "--closewait", "1"); Socket socket = tunnel.connect()) {
            socket.shutdownOutput();
            assertThatThrownBy(() -> {
                if (socket.getInputStream().read() < 0) {
                    throw new SocketException("closed");
                }
            }).isInstanceOf(SocketException.class);
            await(() -> tunnel.server.counters().active() == 0 && tunnel.client.counters().active() == 0);
            never.countDown();
        }
    }

    /** The pause is longer than the close-wait time, and the kernel holds more than the application has read. */
    @Test
    void receiverThatPausesAfterTheEndGetsAllData() throws Exception {
        byte[] data = random(MEGABYTE);
        CountDownLatch sent = new CountDownLatch(1);
        try (Target target = Target.start(connection -> {
            connection.getOutputStream().write(data);
            connection.shutdownOutput();
            sent.countDown();
            connection.getInputStream().readAllBytes();
        }); TunnelPair tunnel = TunnelPair.start(target.address(), "--nocomp", "--closewait", "1"); Socket socket = tunnel.connect()) {
            assertThat(sent.await(30, TimeUnit.SECONDS)).isTrue();
            Thread.sleep(4_000);
            assertThat(sha256(socket.getInputStream())).isEqualTo(sha256(data));
        }
    }

    @Test
    void targetThatPausesAfterTheEndGetsAllData() throws Exception {
        byte[] data = random(MEGABYTE);
        CompletableFuture<String> received = new CompletableFuture<>();
        try (Target target = Target.start(connection -> {
            Thread.sleep(4_000);
            received.complete(sha256(connection.getInputStream()));
        }); TunnelPair tunnel = TunnelPair.start(target.address(), "--nocomp", "--closewait", "1"); Socket socket = tunnel.connect()) {
            socket.getOutputStream().write(data);
            socket.shutdownOutput();
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(sha256(data));
        }
    }

    @Test
    void refusingTargetClosesTheConnection() throws Exception {
        InetSocketAddress unused;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = (InetSocketAddress) closed.getLocalSocketAddress();
        }
        try (TunnelPair tunnel = TunnelPair.start(unused); Socket socket = tunnel.connect()) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(tunnel.server.counters().failed()).isEqualTo(1);
            assertThat(tunnel.serverLog.toString()).contains("cannot connect to the target");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("slow")
    void targetThatNeverReadsStopsTheSender(int version) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (Target target = Target.start(connection -> never.await());
             TunnelPair tunnel = TunnelPair.start(target.address(), "--smuxver", "" + version, "--crypt", "null", "--nocomp");
             Socket socket = tunnel.connect()) {
            Target.daemon(() -> socket.getOutputStream().write(new byte[64 * MEGABYTE]));
            long[] last = {-1, -1};
            await(() -> {
                long now = tunnel.client.counters().bytesFromSockets();
                boolean stopped = now > 0 && now == last[0] && System.nanoTime() - last[1] > TimeUnit.SECONDS.toNanos(2);
                if (now != last[0]) {
                    last[0] = now;
                    last[1] = System.nanoTime();
                }
                return stopped;
            });
            assertThat(last[0]).as("bytes read from the socket").isLessThan(32 * MEGABYTE);
            assertThat(tunnel.client.counters().active()).isEqualTo(1);
            never.countDown();
        }
    }

    @Test
    void stalledConnectionDoesNotStopOthers() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (Target target = Target.start(connection -> {
            if (connection.getInputStream().read() == 'x') {
                never.await();
            } else {
                connection.getInputStream().transferTo(connection.getOutputStream());
            }
        }); TunnelPair tunnel = TunnelPair.start(target.address(), "--nocomp", "--crypt", "null", "--ds", "0");
             Socket stalled = tunnel.connect(); Socket other = tunnel.connect()) {
            stalled.getOutputStream().write('x');
            Target.daemon(() -> stalled.getOutputStream().write(new byte[64 * MEGABYTE]));
            await(() -> tunnel.client.counters().bytesFromSockets() > MEGABYTE);
            other.getOutputStream().write('e');
            for (int i = 0; i < 20; i++) {
                assertEcho(other, "message " + i);
            }
            never.countDown();
        }
    }

    @Test
    @Tag("slow")
    void slowClientStopsTheTarget() throws Exception {
        byte[] data = random(16 * MEGABYTE);
        try (Target target = Target.start(connection -> connection.getOutputStream().write(data));
             TunnelPair tunnel = TunnelPair.start(target.address(), "--nocomp", "--crypt", "null", "--ds", "0");
             Socket socket = tunnel.connect()) {
            InputStream in = socket.getInputStream();
            assertThat(in.read()).isEqualTo(data[0] & 0xff);
            await(() -> tunnel.server.counters().bytesFromSockets() > MEGABYTE);
            assertThat(in.readNBytes(data.length - 1)).hasSize(data.length - 1).endsWith(data[data.length - 1]);
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void lostSessionResetsTheConnection() throws Exception {
        try (Target target = Target.echo(); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = tunnel.connect()) {
            assertEcho(socket, "before");
            KcpChannel session = tunnel.client.session();
            session.closeBecause(new IOException("test"));
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
            try (Socket next = tunnel.connect()) {
                assertEcho(next, "after");
            }
        }
    }

    @Test
    @Tag("slow")
    void lostSessionDoesNotTruncateCompleteData() throws Exception {
        byte[] data = random(150_000);
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (Target target = Target.start(connection -> {
            if (connection.getInputStream().read() == 'e') {
                connection.getInputStream().transferTo(connection.getOutputStream());
                return;
            }
            connection.getOutputStream().write(data);
            connection.shutdownOutput();
            ended.countDown();
            never.await();
        }); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = new Socket(); Socket other = tunnel.connect()) {
            // The small receive buffer keeps most of the data in the send buffer of the tunnel client.
            socket.setReceiveBufferSize(4_096);
            socket.connect(tunnel.client.localAddress());
            socket.getOutputStream().write('x');
            assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
            await(() -> tunnel.client.counters().bytesToSockets() == data.length);
            other.getOutputStream().write('e');
            assertEcho(other, "a later response, which follows the end of the first stream");
            tunnel.client.session().closeBecause(new IOException("test"));
            await(() -> tunnel.client.counters().active() < 2);
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(data);
            never.countDown();
        }
    }

    @Test
    void wrongKeyResetsTheConnection() throws Exception {
        try (Target target = Target.echo();
             TunnelPair tunnel = TunnelPair.start("127.0.0.1:" + target.address().getPort(), SHORT_TIMEOUT, List.of(),
                 List.of("--key", "other"));
             Socket socket = tunnel.connect()) {
            socket.getOutputStream().write(1);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(target.accepted()).isZero();
        }
    }

    @Test
    @Tag("slow")
    void restartedServerServesNewConnections() throws Exception {
        try (Target target = Target.echo();
             TunnelPair tunnel = TunnelPair.start("127.0.0.1:" + target.address().getPort(), SHORT_TIMEOUT, List.of(), List.of())) {
            try (Socket socket = tunnel.connect()) {
                assertEcho(socket, "before");
                int port = tunnel.server.addresses().get(0).getPort();
                tunnel.server.close();
                try (ServerTunnel restarted = ServerTunnel.start(TunnelPair.serverOptions(List.of("--listen", "127.0.0.1:" + port,
                    "--target", "127.0.0.1:" + target.address().getPort())), TunnelPair.noLog())) {
                    socket.getOutputStream().write(1);
                    assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
                    try (Socket next = tunnel.connect()) {
                        assertEcho(next, "after");
                    }
                    assertThat(restarted.counters().opened()).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void proxyHeaderReportsTheClient() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        byte[] header = new byte[28];
        try (Target target = Target.start(connection -> {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            in.readFully(header);
            done.countDown();
            in.transferTo(connection.getOutputStream());
        });
             TunnelPair tunnel = TunnelPair.start("127.0.0.1:" + target.address().getPort(), List.of(),
                 List.of("--proxy-protocol"), List.of());
             Socket socket = tunnel.connect()) {
            assertEcho(socket, "hello");
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            InetSocketAddress source = (InetSocketAddress) tunnel.client.session().localAddress();
            ByteBuffer buffer = ByteBuffer.wrap(header, 12, 16);
            assertThat(HexFormat.of().formatHex(header, 0, 12)).isEqualTo("0d0a0d0a000d0a515549540a");
            assertThat(buffer.get()).as("version 2, PROXY").isEqualTo((byte) 0x21);
            assertThat(buffer.get()).as("TCP over IPv4").isEqualTo((byte) 0x11);
            assertThat(buffer.getShort()).isEqualTo((short) 12);
            assertThat(buffer.getInt()).as("source 127.0.0.1").isEqualTo(0x7f000001);
            assertThat(buffer.getInt()).as("destination 127.0.0.1").isEqualTo(0x7f000001);
            assertThat(buffer.getShort()).isEqualTo((short) source.getPort());
            assertThat(buffer.getShort()).isEqualTo((short) tunnel.server.addresses().get(0).getPort());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EPOLL", "NIO"})
    @Tag("slow")
    void unixDomainSocketsOnBothSides(String transport, @TempDir Path directory) throws Exception {
        Path target = directory.resolve("target");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(target));
            Target.daemon(() -> {
                try (SocketChannel connection = listener.accept()) {
                    Channels.newInputStream(connection).transferTo(Channels.newOutputStream(connection));
                }
            });
            Path local = directory.resolve("local");
            try (TunnelPair tunnel = TunnelPair.start(target.toString(), List.of("--transport", transport), List.of(),
                List.of("--localaddr", local.toString()));
                 SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(local))) {
                socket.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
                assertThat(Channels.newInputStream(socket).readNBytes(5)).asString(StandardCharsets.UTF_8).isEqualTo("hello");
                if (transport.equals("EPOLL")) {
                    socket.shutdownOutput();
                    assertThat(Channels.newInputStream(socket).read()).isEqualTo(-1);
                }
                assertThat(tunnel.server.counters().opened()).isEqualTo(1);
            }
        }
    }

    @Test
    @Tag("slow")
    void sessionsTakeTurnsAndUseThePortRange() throws Exception {
        try (Target target = Target.echo(); ServerTunnel server = rangeServer(target)) {
            int first = server.addresses().get(0).getPort();
            String remote = "127.0.0.1:" + first + "-" + (first + 3);
            List<String> arguments = List.of("--localaddr", "127.0.0.1:0", "--remoteaddr", remote, "--conn", "8");
            try (ClientTunnel client = ClientTunnel.start(TunnelPair.clientOptions(arguments), TunnelPair.noLog())) {
                for (int i = 0; i < 16; i++) {
                    try (Socket socket = TunnelPair.connect(client)) {
                        assertEcho(socket, "message " + i);
                    }
                }
                assertThat(server.addresses()).hasSize(4);
                assertThat(server.collectStats().sync().getNow().openedSessions()).isEqualTo(8);
                assertThat(client.collectStats().sync().getNow().activeSessions()).isEqualTo(8);
            }
        }
    }

    private static ServerTunnel rangeServer(Target target) throws Exception {
        for (int first = 30_100; ; first += 10) {
            try {
                return ServerTunnel.start(TunnelPair.serverOptions(List.of("--listen", "127.0.0.1:" + first + "-" + (first + 3), "--target",
                    "127.0.0.1:" + target.address().getPort())), TunnelPair.noLog());
            } catch (IOException inUse) {
                assertThat(first).isLessThan(31_000);
            }
        }
    }

    @Test
    @Tag("slow")
    void expiredSessionKeepsItsStreams() throws Exception {
        try (Target target = Target.echo();
             TunnelPair tunnel = TunnelPair.start("127.0.0.1:" + target.address().getPort(), List.of(), List.of(),
                 List.of("--autoexpire", "1"));
             Socket old = tunnel.connect()) {
            assertEcho(old, "one");
            KcpChannel first = tunnel.client.session();
            await(() -> !tunnel.client.session().equals(first));
            assertEcho(old, "two");
            try (Socket fresh = tunnel.connect()) {
                assertEcho(fresh, "three");
            }
            assertThat(first.isActive()).isTrue();
            old.shutdownOutput();
            assertThat(first.closeFuture().await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void drainOfTheServerWaitsForOpenStreams() throws Exception {
        try (Target target = Target.echo(); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = tunnel.connect()) {
            assertEcho(socket, "before");
            CountDownLatch drained = new CountDownLatch(1);
            Target.daemon(() -> {
                tunnel.server.drain();
                drained.countDown();
            });
            await(() -> {
                try (Socket refused = tunnel.connect()) {
                    refused.getOutputStream().write(1);
                    return refused.getInputStream().read() < 0;
                } catch (IOException reset) {
                    return true;
                }
            });
            assertEcho(socket, "while draining");
            assertThat(drained.getCount()).isEqualTo(1);
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(drained.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @Tag("slow")
    void drainOfTheClientWaitsForOpenStreams() throws Exception {
        try (Target target = Target.echo(); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = tunnel.connect()) {
            assertEcho(socket, "before");
            CountDownLatch drained = new CountDownLatch(1);
            Target.daemon(() -> {
                tunnel.client.drain();
                drained.countDown();
            });
            await(() -> {
                try (Socket accepted = tunnel.connect()) {
                    return accepted.isClosed();
                } catch (IOException closed) {
                    return true;
                }
            });
            assertEcho(socket, "while draining");
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(drained.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @Tag("slow")
    void drainTimeLimitsTheWait() throws Exception {
        try (Target target = Target.echo(); TunnelPair tunnel = TunnelPair.start(target.address(), "--drain", "1");
             Socket socket = tunnel.connect()) {
            assertEcho(socket, "before");
            // Without the limit, this call would wait for the connection, which the test keeps open, until the test times out.
            tunnel.client.drain();
            assertThatThrownBy(() -> {
                if (socket.getInputStream().read() < 0) {
                    throw new SocketException("closed");
                }
            }).isInstanceOf(SocketException.class);
        }
    }
}
