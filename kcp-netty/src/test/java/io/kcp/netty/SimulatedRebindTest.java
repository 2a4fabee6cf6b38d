package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.SeededRun;
import io.kcp.testkit.SeededRuns;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests clients whose NAT assigns a new port every 5 s (S12 of the scenario table). */
@Timeout(600)
class SimulatedRebindTest {

    private static final int CONV = 77;
    private static final int SOCKETS = 4;
    private static final int REBIND_MS = 5_000;
    private static final int WRITE_INTERVAL_MS = 5;
    private static final int WRITE_BYTES = 3_000;
    private static final int RTT_MS = 50;
    private static final int LONG_TRANSFER_BYTES = 10_000_000;
    private static final int SHORT_TRANSFER_BYTES = 4_000_000;
    /** S12: maximum time without data if the client sends data. */
    private static final int S12_MAX_GAP_MS = RTT_MS + 100;
    /** A server that only sends data also needs one round trip to validate the new address before it sends data there. */
    private static final int S12_MAX_GAP_OF_DOWNLOAD_MS = S12_MAX_GAP_MS + RTT_MS;
    /** Interval between two writes, and interval of KCP. */
    private static final int GAP_TOLERANCE_MS = 15;
    /** S12: maximum time until both sides detect the loss of the path if roaming is off. */
    private static final int S12_MAX_DETECTION_MS = 31_000;

    private static LinkProfile link(int lossPercent) {
        return LinkProfile.builder().delayMs(RTT_MS / 2).lossProbability(lossPercent / 100.0).build();
    }

    /** A transfer between a client that is rebound and a server. */
    private static final class Transfer implements AutoCloseable {

        private final CountingStream server = new CountingStream();
        private final CountingStream client = new CountingStream();
        private final SimulatedHosts hosts;
        private final SimulatedHost serverHost;
        private final SimulatedHost clientHost;
        private final KcpChannel session;
        private final KcpChannel accepted;

        private Transfer(SeededRun run, int lossPercent, SimulatedHosts.Layers layers, boolean roaming) {
            hosts = new SimulatedHosts(run);
            serverHost = hosts.addServer(link(lossPercent));
            clientHost = hosts.addClient(link(lossPercent));
            serverHost.startServer(SOCKETS, builder -> layers.apply(builder).roaming(roaming), server);
            clientHost.startClient(builder -> layers.apply(builder).roaming(roaming));
            session = clientHost.connect(CONV, client);
            client.write(session, 10);
            assertThat(hosts.runUntil(() -> !serverHost.accepted().isEmpty(), 5_000)).isTrue();
            accepted = serverHost.accepted().get(0);
            server.write(accepted, 10);
            assertThat(hosts.runUntil(() -> client.received() == 10, 5_000)).isTrue();
        }

        /** Sends data and rebinds the client every 5 s. Returns the longest time without data, in milliseconds. */
        private long run(long seed, int bytes, boolean upload, boolean download) {
            long rebindAtMs = hosts.nowMs() + 1_000 + seed * 37 % 1_000;
            long lastMs = hosts.nowMs();
            long longestMs = 0;
            while (server.sent() < bytes && client.sent() < bytes) {
                if (hosts.nowMs() >= rebindAtMs) {
                    clientHost.rebind();
                    rebindAtMs += REBIND_MS;
                }
                long before = client.received() + server.received();
                if (download) {
                    server.write(accepted, WRITE_BYTES);
                }
                if (upload) {
                    client.write(session, WRITE_BYTES);
                }
                hosts.runForMs(WRITE_INTERVAL_MS);
                if (client.received() + server.received() > before) {
                    longestMs = Math.max(longestMs, hosts.nowMs() - lastMs);
                    lastMs = hosts.nowMs();
                }
            }
            return longestMs;
        }

        private void assertIntact() {
            // Without another write, the server would not see the address of a client that was rebound after its last datagram.
            client.write(session, WRITE_BYTES);
            assertThat(hosts.runUntil(() -> client.received() == server.sent() && server.received() == client.sent(), 10_000))
                .as("received %d of %d and %d of %d", client.received(), server.sent(), server.received(), client.sent()).isTrue();
            assertThat(client.wrong()).isZero();
            assertThat(server.wrong()).isZero();
            assertThat(serverHost.accepted()).hasSize(1);
            hosts.runUntil(() -> accepted.remoteAddress().equals(clientHost.address()), 1_000);
            assertThat(accepted.remoteAddress()).isEqualTo(clientHost.address());
        }

        @Override
        public void close() {
            hosts.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"CIPHER, false, true", "CIPHER, true, true", "CIPHER, true, false", "FEC_AND_CIPHER, true, true"})
    @Tag("slow")
    void roamingSessionContinuesSoonAfterARebind(SimulatedHosts.Layers layers, boolean upload, boolean download) {
        SeededRuns.named("S12 rebind every 5 s " + layers + (upload ? " upload" : "") + (download ? " download" : "")).oneIn(5).run(run -> {
            try (Transfer transfer = new Transfer(run, 0, layers, true)) {
                long gapMs = transfer.run(run.seed(), LONG_TRANSFER_BYTES, upload, download);
                transfer.assertIntact();
                assertThat(gapMs).isLessThanOrEqualTo((upload ? S12_MAX_GAP_MS : S12_MAX_GAP_OF_DOWNLOAD_MS) + GAP_TOLERANCE_MS);
            }
        }).assertNoneFailed();
    }

    @ParameterizedTest
    @EnumSource(names = {"CIPHER", "FEC_AND_CIPHER"})
    void roamingSessionLosesNothingOnLossyLinks(SimulatedHosts.Layers layers) {
        SeededRuns.named("S12 rebind every 5 s " + layers + ", 5 % loss").oneIn(2).run(run -> {
            try (Transfer transfer = new Transfer(run, 5, layers, true)) {
                transfer.run(run.seed(), SHORT_TRANSFER_BYTES, true, true);
                transfer.assertIntact();
            }
        }).assertNoneFailed();
    }

    @ParameterizedTest
    @EnumSource
    void withoutRoamingBothSidesCloseAndTheClientMayReconnect(SimulatedHosts.Layers layers) {
        SeededRuns.named("S12 rebind without roaming " + layers).run(run -> {
            try (Transfer transfer = new Transfer(run, 2, layers, false)) {
                transfer.hosts.runForMs(run.seed() * 37 % 1_000);
                transfer.clientHost.rebind();
                transfer.client.write(transfer.session, WRITE_BYTES);
                transfer.server.write(transfer.accepted, WRITE_BYTES);
                transfer.hosts.runUntil(() -> !transfer.session.isOpen() && !transfer.accepted.isOpen(), S12_MAX_DETECTION_MS);
                for (KcpChannel channel : new KcpChannel[] {transfer.session, transfer.accepted}) {
                    assertThat(channel.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                        cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
                }
                assertThat(transfer.server.wrong()).isZero();
                SessionRecorder recorder = new SessionRecorder();
                KcpChannel again = transfer.clientHost.connect(CONV + 1, recorder);
                again.writeAndFlush(again.alloc().directBuffer().writeZero(10));
                assertThat(transfer.hosts.runUntil(() -> again.acknowledged().isSuccess(), 5_000)).isTrue();
                assertThat(transfer.serverHost.accepted()).hasSize(2);
            }
        }).assertNoneFailed();
    }

    @Test
    void clientWithoutOutstandingDataDetectsTheLossOfThePath() {
        SeededRuns.named("S12 rebind of an idle client without roaming").run(run -> {
            try (Transfer transfer = new Transfer(run, 2, SimulatedHosts.Layers.PLAIN, false)) {
                transfer.hosts.runForMs(1_000 + run.seed() * 37 % 1_000);
                transfer.clientHost.rebind();
                assertThat(transfer.hosts.runUntil(() -> !transfer.session.isOpen() && !transfer.accepted.isOpen(), 65_000)).isTrue();
            }
        }).assertNoneFailed();
    }
}
