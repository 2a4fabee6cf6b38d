package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a peer cannot make a socket store more than a limited number of bytes. */
@Timeout(120)
class KcpSocketAttackTest {

    private static final int WINDOW = 128;
    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().windows(WINDOW).build();
    private static final int TOTAL = 4_000_000;
    /**
     * Maximum number of bytes that the two sessions and the outbound queue of the channel store: two windows, the write water mark, and
     * the capacity of the send buffer.
     */
    private static final int CHANNEL_BYTES = 2 * WINDOW * CONFIG.mtuBytes() + 65_536 + SendHandoff.CAPACITY_BYTES;

    private static int write(KcpSocket socket) throws Exception {
        socket.getOutputStream().write(new byte[TOTAL]);
        return TOTAL;
    }

    /** Writes until the socket has accepted nothing for a while, and returns the number of bytes that it has accepted. */
    private static int writeUntilBlocked(KcpSocket socket) throws Exception {
        socket.setWriteTimeout(500);
        try {
            return write(socket);
        } catch (SocketTimeoutException blocked) {
            return blocked.bytesTransferred;
        } finally {
            socket.setWriteTimeout(0);
        }
    }

    @Test
    void floodStopsWhenTheReaderDoesNotRead() throws Exception {
        try (BlockingPair pair = new BlockingPair(KcpTransport.best(), CONFIG)) {
            int accepted = writeUntilBlocked(pair.client);
            assertThat(accepted).isLessThan(ReceiveHandoff.CAPACITY_BYTES + SendHandoff.CAPACITY_BYTES + CHANNEL_BYTES);
            assertThat(pair.accepted.getInputStream().available()).isBetween(ReceiveHandoff.CAPACITY_BYTES,
                ReceiveHandoff.CAPACITY_BYTES + 2 * CONFIG.mtuBytes());
            assertThat(pair.accepted.channel().config().isAutoRead()).isFalse();

            pair.accepted.getInputStream().skipNBytes(accepted);
            Blocked<Integer> writer = Blocked.start(() -> write(pair.client));
            pair.accepted.getInputStream().skipNBytes(TOTAL);
            assertThat(writer.result()).isEqualTo(TOTAL);
        }
    }

    @Test
    void slowReaderNeverStoresMoreThanItsCapacity() throws Exception {
        try (BlockingPair pair = new BlockingPair(KcpTransport.best(), CONFIG)) {
            Blocked<Integer> writer = Blocked.start(() -> write(pair.client));
            byte[] part = new byte[10_000];
            for (int read = 0; read < TOTAL; ) {
                assertThat(pair.accepted.getInputStream().available())
                    .isLessThan(2 * (ReceiveHandoff.CAPACITY_BYTES + 2 * CONFIG.mtuBytes()));
                read += pair.accepted.getInputStream().read(part, 0, Math.min(part.length, TOTAL - read));
            }
            assertThat(writer.result()).isEqualTo(TOTAL);
        }
    }

    @Test
    void peerThatDoesNotReadBlocksOnlyTheWriter() throws Exception {
        try (BlockingPair pair = new BlockingPair(KcpTransport.best(), CONFIG)) {
            int stored = writeUntilBlocked(pair.accepted);
            assertThat(stored).isLessThan(ReceiveHandoff.CAPACITY_BYTES + SendHandoff.CAPACITY_BYTES + CHANNEL_BYTES);
            Blocked<Integer> writer = Blocked.untilBlocked(() -> write(pair.accepted));
            pair.client.getOutputStream().write(7);
            assertThat(pair.accepted.getInputStream().read()).isEqualTo(7);
            assertThat(writer.isDone()).isFalse();
        }
    }

    @Test
    void unacceptedSessionsStoreLimitedData() throws Exception {
        try (BlockingPair pair = new BlockingPair(KcpTransport.best(), CONFIG);
            KcpSocket waiting = KcpSocket.connect(pair.bootstrap().config(CONFIG), pair.server.localAddress())) {
            int stored = writeUntilBlocked(waiting);
            assertThat(stored).isLessThan(ReceiveHandoff.CAPACITY_BYTES + SendHandoff.CAPACITY_BYTES + CHANNEL_BYTES);
            KcpSocket accepted = pair.server.accept(Duration.ofSeconds(Loopback.PATIENCE_S));
            accepted.getInputStream().skipNBytes(stored);
            BlockingPair.closed(waiting);
            accepted.close();
            await().atMost(Duration.ofSeconds(30)).until(() -> !accepted.channel().isOpen());
        }
    }
}
