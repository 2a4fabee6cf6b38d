package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.SeededRun;
import io.kcp.testkit.SeededRuns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests servers and clients that restart with the same address (S17 of the scenario table). */
@Timeout(600)
class SimulatedRestartTest {

    private static final int CONV = 77;
    private static final int WRITE_INTERVAL_MS = 20;
    private static final int WRITE_BYTES = 2_000;
    private static final LinkProfile LINK = LinkProfile.builder().delayMs(25).lossProbability(0.03).build();
    /** S17: maximum time until a restart is detected: the dead-peer timeout, and the time of a probe. */
    private static final int S17_MAX_DETECTION_MS = 31_000;

    /** Traffic in both directions between a server and a client that can restart. */
    private static final class Traffic implements AutoCloseable {

        private final SimulatedHosts.Layers layers;
        private final SimulatedHosts hosts;
        private final SimulatedHosts.Host server;
        private final SimulatedHosts.Host client;
        private final List<CountingStream> serverStreams = new ArrayList<>();

        private Traffic(SeededRun run, SimulatedHosts.Layers layers) {
            this.layers = layers;
            hosts = new SimulatedHosts(run);
            server = hosts.addServer(LINK);
            client = hosts.addClient(LINK);
            startServer();
            startClient();
        }

        private void startServer() {
            server.startServer(2, layers::apply, session -> {
                CountingStream stream = new CountingStream();
                serverStreams.add(stream);
                return stream;
            });
        }

        private void startClient() {
            client.startClient(layers::apply);
        }

        /** Writes on both sides of a session for some time, or until one of the sides is closed. */
        private void exchange(KcpChannel session, CountingStream stream, int serverSession, long durationMs) {
            for (long endMs = hosts.nowMs() + durationMs; hosts.nowMs() < endMs && session.isOpen();) {
                stream.write(session, WRITE_BYTES);
                if (serverStreams.size() > serverSession && server.accepted().get(serverSession).isOpen()) {
                    serverStreams.get(serverSession).write(server.accepted().get(serverSession), WRITE_BYTES);
                }
                hosts.runForMs(WRITE_INTERVAL_MS);
            }
        }

        private void assertIntact(CountingStream stream, int serverSession) {
            CountingStream other = serverStreams.get(serverSession);
            assertThat(hosts.runUntil(() -> stream.received() == other.sent() && other.received() == stream.sent(), 10_000))
                .as("received %d of %d and %d of %d", stream.received(), other.sent(), other.received(), stream.sent()).isTrue();
            assertThat(stream.wrong() + other.wrong()).isZero();
        }

        @Override
        public void close() {
            hosts.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientDetectsThatTheServerRestarted(SimulatedHosts.Layers layers) {
        SeededRuns.named("S17 server restarts " + layers).run(run -> {
            try (Traffic traffic = new Traffic(run, layers)) {
                CountingStream stream = new CountingStream();
                KcpChannel session = traffic.client.connect(CONV, stream);
                traffic.exchange(session, stream, 0, 1_000 + run.seed() * 37 % 1_000);
                traffic.startServer();
                long restartMs = traffic.hosts.nowMs();
                traffic.exchange(session, stream, 1, S17_MAX_DETECTION_MS);
                assertThat(session.isOpen()).isFalse();
                assertThat(traffic.hosts.nowMs() - restartMs).isLessThanOrEqualTo(S17_MAX_DETECTION_MS);
                assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
                assertThat(stream.wrong() + traffic.serverStreams.get(0).wrong()).isZero();
                assertThat(traffic.serverStreams).as("sessions that the restarted server opened").hasSize(1);

                CountingStream again = new CountingStream();
                traffic.exchange(traffic.client.connect(CONV + 1, again), again, 1, 1_000);
                traffic.assertIntact(again, 1);
            }
        }).assertNoneFailed();
    }

    @ParameterizedTest
    @EnumSource
    void restartedClientIsServedImmediately(SimulatedHosts.Layers layers) {
        SeededRuns.named("S17 client restarts " + layers).run(run -> {
            try (Traffic traffic = new Traffic(run, layers)) {
                CountingStream stream = new CountingStream();
                KcpChannel session = traffic.client.connect(CONV, stream);
                traffic.exchange(session, stream, 0, 500 + run.seed() * 37 % 1_000);
                traffic.startClient();
                long restartMs = traffic.hosts.nowMs();

                CountingStream again = new CountingStream();
                KcpChannel second = traffic.client.connect(CONV + 1, again);
                traffic.exchange(second, again, 1, 2_000);
                traffic.assertIntact(again, 1);

                KcpChannel old = traffic.server.accepted().get(0);
                traffic.hosts.runUntil(() -> !old.isOpen(), S17_MAX_DETECTION_MS);
                assertThat(old.isOpen()).isFalse();
                assertThat(traffic.hosts.nowMs() - restartMs).isLessThanOrEqualTo(S17_MAX_DETECTION_MS);
                assertThat(traffic.serverStreams.get(0).wrong()).isZero();
                traffic.exchange(second, again, 1, 500);
                traffic.assertIntact(again, 1);
                assertThat(traffic.serverStreams).hasSize(2);
            }
        }).assertNoneFailed();
    }
}
