package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
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
    @Tag("slow")
    void sessionsFollowTheClientWithoutLosingData(int sockets, Traffic traffic) {
        try (RoamingPair link = new RoamingPair(sockets, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted();
            for (int i = 0; i < 20; i++) {
                link.client.rebind();
                long lastMs = link.hosts.nowMs();
                long longestMs = 0;
                for (int ms = 0; ms < 1_000; ms += 5) {
                    long before = client.received() + server.received();
                    if (traffic != Traffic.UPLOAD) {
                        server.write(accepted, CHUNK);
                    }
                    if (traffic != Traffic.DOWNLOAD) {
                        client.write(session, CHUNK);
                    }
                    link.hosts.runForMs(5);
                    if (client.received() + server.received() > before) {
                        longestMs = Math.max(longestMs, link.hosts.nowMs() - lastMs);
                        lastMs = link.hosts.nowMs();
                    }
                }
                assertThat(longestMs).as("rebind %d", i).isLessThanOrEqualTo(MAX_GAP_MS);
                assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
            }
            link.hosts.runForMs(500);
            assertIntact();
            assertThat(link.server.accepted()).hasSize(1);
            assertThat(server.changes()).hasSize(20);
        }
    }

    @Test
    void manyRebindsLoseNothing() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted();
            for (int i = 0; i < REBINDS; i++) {
                link.client.rebind();
                for (int ms = 0; ms < 510; ms += 30) {
                    server.write(accepted, 10);
                    if (i % 2 == 0) {
                        client.write(session, 10);
                    }
                    link.hosts.runForMs(30);
                }
                assertThat(accepted.remoteAddress()).as("rebind %d", i).isEqualTo(link.client.address());
                assertThat(client.received()).as("rebind %d", i).isEqualTo(server.sent());
            }
            link.hosts.runForMs(500);
            assertIntact();
            assertThat(link.server.accepted()).hasSize(1);
            assertThat(server.changes()).hasSize(REBINDS);
        }
    }

    @Test
    void idleSessionsAreFollowedWithTheNextKeepalive() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            link.open(CONV, client, server);
            link.hosts.runForMs(20_000);
            link.client.rebind();
            KcpChannel accepted = link.accepted();
            assertThat(link.hosts.runUntil(() -> accepted.remoteAddress().equals(link.client.address()), 26_000)).isTrue();
            server.write(accepted, 100);
            link.hosts.runForMs(100);
            assertIntact();
        }
    }

    /** The first datagram is retransmitted from the new address and opens a second session, because it contains no acknowledgement. */
    @Test
    void addressMayChangeBeforeTheFirstResponse() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            link.server.drop((to, datagram) -> true);
            KcpChannel session = link.client.connect(CONV, client);
            client.write(session, 10);
            link.hosts.runForMs(5);
            link.server.dropNothing();
            link.client.rebind();
            link.hosts.runForMs(1_000);
            assertThat(link.server.accepted()).hasSize(2);
            KcpChannel accepted = link.server.accepted().get(1);
            assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
            link.client.rebind();
            for (int i = 0; i < 20; i++) {
                client.write(session, 10);
                server.write(accepted, 10);
                link.hosts.runForMs(50);
            }
            assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    @Test
    void uploadAfterAnIdlePeriodIsFollowed() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            link.hosts.runForMs(20_000);
            link.client.rebind();
            client.write(session, 10);
            link.hosts.runForMs(MAX_GAP_MS);
            assertIntact();
        }
    }

    @Test
    void idleSessionsSendOnlyAFewDatagramsPerKeepalive() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            link.open(CONV, client, server);
            link.hosts.runForMs(1_000);
            AtomicLong sent = new AtomicLong();
            link.client.drop((to, datagram) -> {
                sent.incrementAndGet();
                return false;
            });
            link.hosts.runForMs(24_000);
            assertThat(sent.get()).isLessThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    @Tag("slow")
    void sessionsWithFecFollowTheClient(int sockets) {
        try (RoamingPair link = new RoamingPair(sockets, server, builder -> builder.roaming(true).fec(FecConfig.of(4, 2)),
            builder -> builder.roaming(true).fec(FecConfig.of(4, 2)))) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted();
            long[] number = new long[1];
            for (int i = 0; i < 10; i++) {
                link.client.rebind();
                for (int ms = 0; ms < 600; ms += 5) {
                    server.write(accepted, CHUNK);
                    client.write(session, CHUNK);
                    link.hosts.runForMs(5);
                }
                assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
            }
            link.hosts.runForMs(1_000);
            assertIntact();
            // Loses every tenth datagram of the client. Parity recovers some of the lost datagrams although the parity arrives at another
            // socket.
            link.client.drop((to, datagram) -> ++number[0] % 10 == 0);
            for (int i = 0; i < 200; i++) {
                client.write(session, CHUNK);
                link.hosts.runForMs(5);
            }
            link.client.dropNothing();
            link.hosts.runForMs(1_000);
            assertIntact();
            assertThat(accepted.collectStats().getNow().fec().recoveredShards()).isPositive();
        }
    }

    @Test
    void addressChangesFireAnEventAndMoveTheKeys() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted();
            InetSocketAddress before = link.client.address();
            InetSocketAddress after = link.rebind(true);
            client.write(session, 10);
            server.write(accepted, 10);
            link.hosts.runForMs(500);
            assertThat(server.changes()).containsExactly(new KcpAddressChangeEvent(before, after));
            SessionHost<DefaultKcpChannel> home = ((DefaultKcpChannel) accepted).host();
            assertThat(home.sessions().find(after, CONV)).isNotNull();
            assertThat(home.sessions().find(before, CONV)).isNull();
            assertThat(home.sessions().sessionsOf(before)).isZero();
            assertThat(accepted.datagramChannel()).isSameAs(home.channel());
            accepted.close();
            link.hosts.runForMs(100);
            assertThat(home.sessions().find(after, CONV)).isNull();
        }
    }

    /** Closes a session while the socket that receives its datagrams has no memory for the task that removes the route. */
    @Test
    void closeOfASessionCompletesWithoutMemoryForItsRoute() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted();
            link.rebind(true);
            client.write(session, 10);
            server.write(accepted, 10);
            link.hosts.runForMs(500);
            assertThat(server.changes()).hasSize(1);
            SimulatedSocket arrival = link.server.socketOf(link.client.address());
            arrival.tasksFail(true);
            accepted.config().setOption(KcpChannelOption.LINGER_MS, 0);
            accepted.close();
            arrival.tasksFail(false);
            assertThat(accepted.isOpen()).isFalse();
            KcpListenerStats stats = accepted.datagramChannel().pipeline().get(KcpHandler.class).collectStats().getNow();
            assertThat(stats.activeSessions()).isZero();
            assertThat(stats.sessions().datagramsOut()).as("counters of the closed session").isPositive();
        }
    }

    @Test
    void withoutRoamingTheSessionTimesOut() {
        try (RoamingPair link = new RoamingPair(1, server, builder -> { }, builder -> { })) {
            KcpChannel session = link.open(CONV, client, server);
            KcpChannel accepted = link.accepted();
            link.client.rebind();
            server.write(accepted, 100);
            client.write(session, 100);
            link.hosts.runForMs(60_000);
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
            EncryptedSegments.CRYPTO.alsoOpening(CryptoConfig.kcptun("aes", "k"))}) {
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
                default -> new KcpHandlerBuilder(EchoHandler.INSTANCE).crypto(crypto).roaming(true).buildPipeline();
            }
        }
    }
}
