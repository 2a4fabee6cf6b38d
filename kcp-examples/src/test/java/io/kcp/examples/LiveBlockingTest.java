package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.netty.blocking.KcpServerSocket;
import io.kcp.netty.blocking.KcpSocket;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Exchanges data with kcp-go through blocking sockets, in both roles. */
@Tag("interop")
@Timeout(120)
class LiveBlockingTest {

    private static final String PEER = "kcppeer-5.6.72";
    private static final int BYTES = 5_000_000;
    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().windows(1_024).build();

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(1);

    private static ExecutorService threads;

    @BeforeAll
    static void start() {
        assertThat(PeerProcess.isInstalled(PEER)).as("%s is built; src/interop/install.sh does it", PEER).isTrue();
        threads = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
    }

    private static List<String> options(String... added) {
        return Stream.concat(Stream.of("--action", "echo", "--bytes", Integer.toString(BYTES), "--timeout",
            "100", "--linger-ms", "500"), Stream.of(added)).toList();
    }

    @Test
    void kcpGoServerEchoesToABlockingClient() throws Exception {
        byte[] content = new byte[BYTES];
        new SplittableRandom(12).nextBytes(content);
        try (PeerProcess server = PeerProcess.start(PEER, "server", options("--peer-seed", "none"))) {
            int port = Integer.parseInt(PeerProcess.field(server.await("ready", 30), "port"));
            try (KcpSocket socket = KcpSocket.connect(new KcpBootstrap().group(LOOPS.group()).config(CONFIG),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                Future<?> writer = threads.submit(() -> {
                    socket.getOutputStream().write(content);
                    return null;
                });
                assertThat(socket.getInputStream().readNBytes(BYTES)).isEqualTo(content);
                writer.get(30, TimeUnit.SECONDS);
                server.await("echoed", 60);
            }
        }
    }

    @Test
    void blockingServerEchoesToAKcpGoClient() throws Exception {
        try (KcpServerSocket server = KcpServerSocket.bind(new KcpServerBootstrap().group(LOOPS.group()).config(CONFIG),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            PeerProcess client = PeerProcess.start(PEER, "client",
                options("--connect", "127.0.0.1:" + server.localAddress().getPort()))) {
            try (KcpSocket socket = server.accept(Duration.ofSeconds(30))) {
                assertThat(echo(socket)).isEqualTo(BYTES);
                String result = client.await("session", 60);
                assertThat(PeerProcess.field(result, "received_sha256")).isEqualTo(PeerProcess.field(result, "sent_sha256"));
            }
        }
    }

    private static int echo(KcpSocket socket) throws IOException {
        byte[] part = new byte[16_384];
        int echoed = 0;
        while (echoed < BYTES) {
            int bytes = socket.getInputStream().read(part);
            socket.getOutputStream().write(part, 0, bytes);
            echoed += bytes;
        }
        return echoed;
    }
}
