package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** A session with a peer whose path required a reduced MTU starts with the reduced MTU. */
class ReducedMtuTest {

    private static final int LIFETIME_MS = 600_000;

    private final CountingStream server = new CountingStream();
    private final CountingStream client = new CountingStream();
    private int conv = 77;

    private static RoamingPair link(CountingStream server) {
        return new RoamingPair(1, server, builder -> { }, builder -> { });
    }

    private DefaultKcpChannel open(RoamingPair link) {
        DefaultKcpChannel session = (DefaultKcpChannel) link.client.connect(conv++, client);
        client.write(session, 10);
        link.hosts.runForMs(20);
        return session;
    }

    private static DefaultKcpChannel latest(RoamingPair link) {
        return (DefaultKcpChannel) link.server.accepted().get(link.server.accepted().size() - 1);
    }

    private static void reduce(RoamingPair link, DefaultKcpChannel session, CountingStream stream) {
        session.onTooLarge();
        stream.write(session, 10);
        link.hosts.runForMs(20);
        assertThat(isReduced(session)).isTrue();
    }

    private static boolean isReduced(DefaultKcpChannel session) {
        return session.kcp().mssBytes() < KcpConfig.FALLBACK_MTU_BYTES;
    }

    @Test
    void serverRemembersTheAddressOfAReconnectingClient() {
        try (RoamingPair link = link(server)) {
            open(link);
            assertThat(isReduced(latest(link))).isFalse();
            reduce(link, latest(link), server);
            link.client.rebind();
            open(link);
            assertThat(link.server.accepted()).hasSize(2);
            assertThat(isReduced(latest(link))).isTrue();
            server.write(latest(link), 5_000);
            link.hosts.runForMs(1_000);
            assertThat(client.received()).isEqualTo(server.sent());
            link.client.rebindTo(new InetSocketAddress("10.0.0.3", 2_000));
            open(link);
            assertThat(link.server.accepted()).hasSize(3);
            assertThat(isReduced(latest(link))).as("another address").isFalse();
        }
    }

    @Test
    void addressIsForgottenAfterTenMinutes() {
        try (RoamingPair link = link(server)) {
            open(link);
            reduce(link, latest(link), server);
            link.client.rebind();
            link.hosts.runForMs(LIFETIME_MS);
            open(link);
            assertThat(isReduced(latest(link))).isFalse();
        }
    }

    @Test
    void clientRemembersTheServer() {
        try (RoamingPair link = link(server)) {
            reduce(link, open(link), client);
            assertThat(isReduced(open(link))).isTrue();
        }
    }
}
