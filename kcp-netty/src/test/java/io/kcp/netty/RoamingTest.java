package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions follow clients whose NAT assigns a new port. */
@Timeout(600)
class RoamingTest {

    private static final int CONV = 77;
    private static final int CHUNK = 3_000;
    /** The longest permitted time without data: 100 ms until the client repeats its acknowledgement, and the resolution of the clock. */
    private static final int MAX_GAP_MS = 105;
    private static final int REBINDS = Integer.getInteger("kcp.roaming.rebinds", 300);

    enum Traffic {
        DOWNLOAD, UPLOAD, BOTH
    }

    private final CountingStream server = new CountingStream();
    private final CountingStream client = new CountingStream();

    private void assertIntact() {
        assertThat(client.wrong()).isZero();
        assertThat(server.wrong()).isZero();
        assertThat(client.received()).isEqualTo(server.sent());
        assertThat(server.received()).isEqualTo(client.sent());
    }

    @ParameterizedTest
    @CsvSource({"1,DOWNLOAD", "4,DOWNLOAD", "1,UPLOAD", "4,UPLOAD", "1,BOTH", "4,BOTH"})
    void sessionsFollowTheClientWithoutLosingData(int sockets, Traffic traffic) {
        try (RoamingLink link = new RoamingLink(sockets, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted().get(0);
            for (int i = 0; i < 20; i++) {
                link.rebind();
                long lastMs = link.nowMs();
                long longestMs = 0;
                for (int ms = 0; ms < 1_000; ms += 5) {
                    long before = client.received() + server.received();
                    if (traffic != Traffic.UPLOAD) {
                        server.write(accepted, CHUNK);
                    }
                    if (traffic != Traffic.DOWNLOAD) {
                        client.write(session, CHUNK);
                    }
                    link.advanceMs(5);
                    if (client.received() + server.received() > before) {
                        longestMs = Math.max(longestMs, link.nowMs() - lastMs);
                        lastMs = link.nowMs();
                    }
                }
                assertThat(longestMs).as("rebind %d", i).isLessThanOrEqualTo(MAX_GAP_MS);
                assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
            }
            link.advanceMs(500);
            assertIntact();
            assertThat(link.accepted()).hasSize(1);
            assertThat(server.changes()).hasSize(20);
        }
    }

    @Test
    void manyRebindsLoseNothing() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted().get(0);
            for (int i = 0; i < REBINDS; i++) {
                link.rebind();
                for (int ms = 0; ms < 510; ms += 30) {
                    server.write(accepted, 10);
                    if (i % 2 == 0) {
                        client.write(session, 10);
                    }
                    link.advanceMs(30);
                }
                assertThat(accepted.remoteAddress()).as("rebind %d", i).isEqualTo(link.nat());
                assertThat(client.received()).as("rebind %d", i).isEqualTo(server.sent());
            }
            link.advanceMs(500);
            assertIntact();
            assertThat(link.accepted()).hasSize(1);
            assertThat(server.changes()).hasSize(REBINDS);
        }
    }

    @Test
    void idleSessionsAreFollowedWithTheNextKeepalive() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            link.open(CONV, client, server);
            link.advanceMs(20_000);
            link.rebind();
            KcpChannel accepted = link.accepted().get(0);
            assertThat(link.advanceUntil(() -> accepted.remoteAddress().equals(link.nat()), 26_000)).isTrue();
            server.write(accepted, 100);
            link.advanceMs(100);
            assertIntact();
        }
    }

    /** The first datagram is retransmitted from the new address and opens a second session, because it contains no acknowledgement. */
    @Test
    void addressMayChangeBeforeTheFirstResponse() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            link.onServerSent((to, datagram) -> true);
            KcpChannel session = link.connect(CONV, client);
            client.write(session, 10);
            link.advanceMs(5);
            link.onServerSent((to, datagram) -> false);
            link.rebind();
            link.advanceMs(1_000);
            assertThat(link.accepted()).hasSize(2);
            KcpChannel accepted = link.accepted().get(1);
            assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
            link.rebind();
            for (int i = 0; i < 20; i++) {
                client.write(session, 10);
                server.write(accepted, 10);
                link.advanceMs(50);
            }
            assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    @Test
    void uploadAfterAnIdlePeriodIsFollowed() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            link.advanceMs(20_000);
            link.rebind();
            client.write(session, 10);
            link.advanceMs(MAX_GAP_MS);
            assertIntact();
        }
    }

    @Test
    void idleSessionsSendOnlyAFewDatagramsPerKeepalive() {
        try (RoamingLink link = new RoamingLink(1, server)) {
            link.open(CONV, client, server);
            link.advanceMs(1_000);
            AtomicLong sent = new AtomicLong();
            link.onClientSent((from, datagram) -> {
                sent.incrementAndGet();
                return false;
            });
            link.advanceMs(24_000);
            assertThat(sent.get()).isLessThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void sessionsWithFecFollowTheClient(int sockets) {
        try (RoamingLink link = new RoamingLink(sockets, server, builder -> builder.roaming(true).fec(FecConfig.of(4, 2)),
            builder -> builder.roaming(true).fec(FecConfig.of(4, 2)))) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted().get(0);
            long[] number = new long[1];
            for (int i = 0; i < 10; i++) {
                link.rebind();
                for (int ms = 0; ms < 600; ms += 5) {
                    server.write(accepted, CHUNK);
                    client.write(session, CHUNK);
                    link.advanceMs(5);
                }
                assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
            }
            link.advanceMs(1_000);
            assertIntact();
            // Loses every tenth datagram of the client. Parity recovers some of the lost datagrams although the parity arrives at another
            // socket.
            link.onClientSent((from, datagram) -> ++number[0] % 10 == 0);
            for (int i = 0; i < 200; i++) {
                client.write(session, CHUNK);
                link.advanceMs(5);
            }
            link.onClientSent((from, datagram) -> false);
            link.advanceMs(1_000);
            assertIntact();
            assertThat(accepted.collectStats().getNow().fec().recoveredShards()).isPositive();
        }
    }

    @Test
    void addressChangesFireAnEventAndMoveTheKeys() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted().get(0);
            InetSocketAddress before = link.nat();
            InetSocketAddress after = link.rebind(true);
            client.write(session, 10);
            server.write(accepted, 10);
            link.advanceMs(500);
            assertThat(server.changes()).containsExactly(new KcpAddressChangeEvent(before, after));
            KcpHandler home = ((DefaultKcpChannel) accepted).handler();
            assertThat(home.hasSession(after, CONV)).isTrue();
            assertThat(home.hasSession(before, CONV)).isFalse();
            assertThat(home.sessions().sessionsOf(before)).isZero();
            assertThat(accepted.datagramChannel()).isSameAs(home.datagramChannel());
            accepted.close();
            link.advanceMs(100);
            assertThat(home.hasSession(after, CONV)).isFalse();
        }
    }

    /** Closes a session while the socket that receives its datagrams has no memory for the task that removes the route. */
    @Test
    void closeOfASessionCompletesWithoutMemoryForItsRoute() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted().get(0);
            link.rebind(true);
            client.write(session, 10);
            server.write(accepted, 10);
            link.advanceMs(500);
            assertThat(server.changes()).hasSize(1);
            KcpHandler home = ((DefaultKcpChannel) accepted).handler();
            RoamingLink.Socket arrival = link.servers().get(link.socketOf(link.nat()));
            arrival.tasksFail(true);
            accepted.config().setOption(KcpChannelOption.LINGER_MS, 0);
            accepted.close();
            arrival.tasksFail(false);
            assertThat(accepted.isOpen()).isFalse();
            KcpListenerStats stats = home.collectStats().getNow();
            assertThat(stats.activeSessions()).isZero();
            assertThat(stats.sessions().datagramsOut()).as("counters of the closed session").isPositive();
        }
    }

    @Test
    void withoutRoamingTheSessionTimesOut() {
        try (RoamingLink link = new RoamingLink(1, server, builder -> { }, builder -> { })) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted().get(0);
            link.rebind();
            server.write(accepted, 100);
            client.write(session, 100);
            link.advanceMs(60_000);
            assertThat(accepted.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
            assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
        }
    }

    @ParameterizedTest
    @EnumSource(RefusedStart.class)
    void roamingWithoutAnAuthenticatedCipherIsRefused(RefusedStart start) {
        for (CryptoConfig crypto : new CryptoConfig[] {null, CryptoConfig.kcptun("aes-128", "k"), CryptoConfig.kcptun("null", "k"),
            RoamingLink.CRYPTO.alsoOpening(CryptoConfig.kcptun("aes", "k"))}) {
            assertThatIllegalStateException().isThrownBy(() -> start.start(crypto))
                .withMessageContaining("roaming requires an authenticated cipher").withMessageContaining("aes-128-gcm");
        }
    }

    enum RefusedStart {
        SERVER, CLIENT, PIPELINE;

        void start(CryptoConfig crypto) {
            switch (this) {
                case SERVER -> new KcpServerBootstrap().group(new io.netty.channel.MultiThreadIoEventLoopGroup(1,
                    KcpTransport.NIO.ioHandlerFactory())).config(KcpConfig.fast3()).crypto(crypto).roaming(true)
                    .childHandler(EchoHandler.INSTANCE).bind(Loopback.anyPort());
                case CLIENT -> new KcpBootstrap().group(new io.netty.channel.MultiThreadIoEventLoopGroup(1,
                    KcpTransport.NIO.ioHandlerFactory())).crypto(crypto).roaming(true).handler(EchoHandler.INSTANCE)
                    .connect(Loopback.anyPort());
                default -> KcpHandler.server(EchoHandler.INSTANCE).crypto(crypto).roaming(true).buildPipeline();
            }
        }
    }
}
