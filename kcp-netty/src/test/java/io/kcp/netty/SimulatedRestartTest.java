package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.SeededRun;
import io.kcp.testkit.SeededRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
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
        private final SimulatedHost server;
        private final SimulatedHost client;
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
                session.pipeline().addLast(stream);
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

        /** Opens a session and exchanges data until the given number of milliseconds has passed or one side is closed. */
        private KcpChannel connectAndExchange(int conv, CountingStream stream, int serverSession, long durationMs) {
            KcpChannel session = client.connect(conv, stream);
            exchange(session, stream, serverSession, durationMs);
            return session;
        }

        private void assertClosedInTime(KcpChannel session, long restartMs) {
            assertThat(session.isOpen()).isFalse();
            assertThat(hosts.nowMs() - restartMs).isLessThanOrEqualTo(S17_MAX_DETECTION_MS);
        }

        /** Checks that a second session with the restarted peer works, and that no side has received wrong bytes. */
        private void assertNewSessionWorks(CountingStream old, CountingStream again) {
            assertIntact(again, 1);
            assertThat(old.wrong() + serverStreams.get(0).wrong()).isZero();
            assertThat(serverStreams).as("sessions that the server opened").hasSize(2);
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

    private static void simulate(String scenario, SimulatedHosts.Layers layers, BiConsumer<SeededRun, Traffic> steps) {
        SeededRuns.named("S17 " + scenario + ' ' + layers).run(run -> {
            try (Traffic traffic = new Traffic(run, layers)) {
                steps.accept(run, traffic);
            }
        }).assertNoneFailed();
    }

    @ParameterizedTest
    @EnumSource
    void clientDetectsThatTheServerRestarted(SimulatedHosts.Layers layers) {
        simulate("server restarts", layers, (run, traffic) -> {
            CountingStream stream = new CountingStream();
            KcpChannel session = traffic.connectAndExchange(CONV, stream, 0, 1_000 + run.seed() * 37 % 1_000);
            traffic.startServer();
            long restartMs = traffic.hosts.nowMs();
            traffic.exchange(session, stream, 1, S17_MAX_DETECTION_MS);
            traffic.assertClosedInTime(session, restartMs);
            assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
            assertThat(traffic.serverStreams).as("sessions that the restarted server opened").hasSize(1);

            CountingStream again = new CountingStream();
            traffic.connectAndExchange(CONV + 1, again, 1, 1_000);
            traffic.assertNewSessionWorks(stream, again);
        });
    }

    @ParameterizedTest
    @EnumSource
    void restartedClientIsServedImmediately(SimulatedHosts.Layers layers) {
        simulate("client restarts", layers, (run, traffic) -> {
            CountingStream stream = new CountingStream();
            traffic.connectAndExchange(CONV, stream, 0, 500 + run.seed() * 37 % 1_000);
            traffic.startClient();
            long restartMs = traffic.hosts.nowMs();

            CountingStream again = new CountingStream();
            KcpChannel session = traffic.connectAndExchange(CONV + 1, again, 1, 2_000);
            traffic.assertIntact(again, 1);

            KcpChannel old = traffic.server.accepted().get(0);
            traffic.hosts.runUntil(() -> !old.isOpen(), S17_MAX_DETECTION_MS);
            traffic.assertClosedInTime(old, restartMs);
            traffic.exchange(session, again, 1, 500);
            traffic.assertNewSessionWorks(stream, again);
        });
    }
}
