package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.Loopback;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that closing and interrupting ends blocked calls of sockets and servers. */
@Timeout(180)
@Tag("jdk")
class KcpSocketCloseTest {

    private static final byte[] MORE_THAN_FITS = new byte[5_000_000];
    private static final int RACES = 100;

    private static Object writeMuch(KcpSocket socket) throws IOException {
        socket.getOutputStream().write(MORE_THAN_FITS);
        return socket;
    }

    @Test
    void closeUnblocksTheReader() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.accepted.getInputStream().read());
            pair.accepted.close();
            assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
            assertThatThrownBy(() -> pair.accepted.getInputStream().read()).isExactlyInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void closeUnblocksTheWriter() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<Object> writer = Blocked.start(() -> writeMuch(pair.client));
            awaitFullSocket(pair.client);
            pair.client.close();
            assertThat(writer.failure()).isInstanceOf(AsynchronousCloseException.class);
            assertThatThrownBy(() -> pair.client.getOutputStream().write(1)).isExactlyInstanceOf(ClosedChannelException.class);
        }
    }

    /** Waits until the writer of a socket has been blocked for a while. */
    private static void awaitFullSocket(KcpSocket socket) {
        await().during(Duration.ofMillis(200)).atMost(Duration.ofSeconds(Loopback.PATIENCE_S)).until(() -> !socket.channel().isWritable());
    }

    @Test
    void closeUnblocksAccept() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<KcpSocket> acceptor = Blocked.untilBlocked(() -> pair.server.accept());
            Blocked<KcpSocket> second = Blocked.untilBlocked(() -> pair.server.accept(Duration.ofMinutes(1)));
            pair.server.close();
            assertThat(acceptor.failure()).isInstanceOf(AsynchronousCloseException.class);
            assertThat(second.failure()).isInstanceOf(AsynchronousCloseException.class);
            assertThat(pair.server.isClosed()).isTrue();
            assertThatThrownBy(() -> pair.server.accept()).isExactlyInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void interruptClosesTheSocketOfTheReader() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<Boolean> reader = Blocked.untilBlocked(() -> {
                assertThatThrownBy(() -> pair.accepted.getInputStream().read()).isInstanceOf(ClosedByInterruptException.class);
                return Thread.currentThread().isInterrupted();
            });
            reader.interrupt();
            assertThat(reader.result()).isTrue();
            assertThat(pair.accepted.isClosed()).isTrue();
            Loopback.ended(pair.accepted.channel().closeFuture());
        }
    }

    @Test
    void interruptClosesTheSocketOfTheWriter() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<Object> writer = Blocked.start(() -> writeMuch(pair.client));
            awaitFullSocket(pair.client);
            writer.interrupt();
            assertThat(writer.failure()).isInstanceOf(ClosedByInterruptException.class);
            assertThat(pair.client.isClosed()).isTrue();
        }
    }

    @Test
    void interruptedThreadClosesTheSocketThatItUses() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> pair.client.getOutputStream().write(1)).isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(pair.client.isClosed()).isTrue();
        }
    }

    @Test
    void interruptClosesTheServerOfTheAcceptor() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            Blocked<KcpSocket> acceptor = Blocked.untilBlocked(() -> pair.server.accept());
            acceptor.interrupt();
            assertThat(acceptor.failure()).isInstanceOf(ClosedByInterruptException.class);
            assertThat(pair.server.isClosed()).isTrue();
            Loopback.ended(pair.server.channel().closeFuture());
        }
    }

    @Test
    void interruptedThreadDoesNotConnect() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            for (int i = 0; i < 20; i++) {
                Thread.currentThread().interrupt();
                try {
                    BlockingPair.closed(KcpSocket.connect(pair.bootstrap(), pair.server.localAddress()));
                    // The session was open before the thread had to wait.
                } catch (ClosedByInterruptException expected) {
                    assertThat(Thread.currentThread().isInterrupted()).isTrue();
                }
                Thread.interrupted();
            }
        }
    }

    @Test
    void acceptTimesOut() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            assertThatThrownBy(() -> pair.server.accept(Duration.ofMillis(5))).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> pair.server.accept(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0S");
        }
    }

    @Test
    void closedSessionsAreNotAccepted() throws Exception {
        try (BlockingPair pair = new BlockingPair();
            KcpServerSocket other = KcpServerSocket.bind(pair.loopback.server(new ChannelInboundHandlerAdapter())
                .childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 1_000).childOption(KcpChannelOption.KEEPALIVE_MS, 0),
                Loopback.anyPort());
            KcpSocket gone = KcpSocket.connect(pair.bootstrap(), other.localAddress())) {
            gone.getOutputStream().write(1);
            await().atMost(Duration.ofSeconds(30)).until(() -> Loopback.result(other.channel().collectStats()).activeSessions() == 1);
            BlockingPair.closed(gone);
            await().atMost(Duration.ofSeconds(Loopback.PATIENCE_S))
                .until(() -> Loopback.result(other.channel().collectStats()).activeSessions() == 0);
            assertThatThrownBy(() -> other.accept(Duration.ofMillis(5))).isInstanceOf(SocketTimeoutException.class);
            BlockingPair.closed(other);
        }
    }

    @Test
    void closeRacesWithReadsAndWrites() throws Exception {
        SplittableRandom seeds = new SplittableRandom(17);
        try (BlockingPair pair = new BlockingPair()) {
            List<KcpSocket> closing = new ArrayList<>();
            for (int race = 0; race < RACES; race++) {
                race(pair, seeds.nextLong(), closing);
            }
            closing.forEach(BlockingPair::closed);
        }
    }

    private static void race(BlockingPair pair, long seed, List<KcpSocket> closing) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        // Disables close notices, so that only the calls of this test close each side.
        KcpSocket client = KcpSocket.connect(pair.bootstrap().option(KcpChannelOption.CLOSE_NOTICE, false), pair.server.localAddress());
        client.getOutputStream().write(1);
        KcpSocket accepted = pair.server.accept(Duration.ofSeconds(Loopback.PATIENCE_S));
        List<Blocked<Object>> calls = new ArrayList<>();
        for (KcpSocket socket : List.of(client, accepted)) {
            calls.add(Blocked.start(() -> {
                byte[] target = new byte[1_000];
                while (true) {
                    socket.getInputStream().read(target);
                }
            }));
            int bytes = random.nextInt(1, 30_000);
            calls.add(Blocked.start(() -> {
                while (true) {
                    socket.getOutputStream().write(new byte[bytes]);
                }
            }));
        }
        long startNanos = System.nanoTime();
        long delayNanos = random.nextLong(3_000_000);
        while (System.nanoTime() - startNanos < delayNanos) {
            Thread.onSpinWait();
        }
        int kind = random.nextInt(4);
        if (kind == 0) {
            calls.get(random.nextInt(2)).interrupt();
        } else if (kind == 1) {
            client.channel().close();
        } else {
            client.close();
        }
        accepted.close();
        client.close();
        for (Blocked<Object> call : calls) {
            assertThat(call.failure()).as("seed " + seed).isInstanceOf(ClosedChannelException.class);
        }
        closing.add(client);
        closing.add(accepted);
    }

    /** Exchanges bytes until each side has announced that it reads close notices. */
    private static void exchange(BlockingPair pair) throws IOException {
        for (int i = 0; i < 2; i++) {
            pair.accepted.getOutputStream().write(1);
            assertThat(pair.client.getInputStream().read()).isEqualTo(1);
            pair.client.getOutputStream().write(2);
            assertThat(pair.accepted.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void readReturnsMinusOneAfterThePeerHasClosed() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            exchange(pair);
            pair.accepted.getOutputStream().write(new byte[100_000]);
            pair.accepted.close();
            assertThat(pair.client.getInputStream().readAllBytes()).hasSize(100_000);
            assertThat(pair.client.getInputStream().read()).isEqualTo(-1);
            Loopback.ended(pair.client.channel().closeFuture());
            assertThatThrownBy(() -> pair.client.getOutputStream().write(1)).isInstanceOfSatisfying(KcpSocketException.class,
                closed -> assertThat(closed.reason()).isEqualTo(KcpCloseReason.PEER_CLOSED));
        }
    }

    @Test
    void readThrowsAfterThePeerHasFailed() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            exchange(pair);
            Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.client.getInputStream().read());
            ((KcpChannel) pair.accepted.channel()).closeBecause(new IllegalStateException("thrown by the test"));
            assertThat(reader.failure()).isInstanceOfSatisfying(KcpSocketException.class,
                closed -> assertThat(closed.reason()).isEqualTo(KcpCloseReason.PEER_FAILED));
        }
    }

    @Test
    void blockedCallsEndWithTheEventLoops() throws Exception {
        BlockingPair pair = new BlockingPair();
        Blocked<Integer> reader = Blocked.untilBlocked(() -> pair.client.getInputStream().read());
        Blocked<KcpSocket> acceptor = Blocked.untilBlocked(() -> pair.server.accept());
        Loopback.ended(pair.loopback.group().shutdownGracefully(0, 10, TimeUnit.SECONDS));
        assertThat(reader.failure()).isInstanceOf(IOException.class);
        assertThat(acceptor.failure()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> pair.client.getOutputStream().write(1)).isInstanceOf(IOException.class);
        pair.client.close();
        pair.server.close();
        assertThatThrownBy(() -> KcpSocket.connect(pair.bootstrap(), new InetSocketAddress("127.0.0.1", 9)))
            .isInstanceOf(IOException.class);
    }
}
