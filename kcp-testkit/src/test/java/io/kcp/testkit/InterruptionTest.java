package io.kcp.testkit;

import static io.kcp.testkit.SimulatedFlows.SEED;
import static io.kcp.testkit.SimulatedFlows.WINDOW;
import static io.kcp.testkit.SimulatedFlows.bbr;
import static io.kcp.testkit.SimulatedFlows.link;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests bulk transfers over paths that are interrupted, over paths that change, and to peers that pause. */
class InterruptionTest {

    private static final long START_US = 5_000_000;

    @RegisterExtension
    final SimulatedFlows flows = new SimulatedFlows(options -> options.binUs = 10_000);
    private final SimulatedNetwork network = flows.network;

    private static double megabits(Flow flow, long fromUs, long toUs) {
        return flow.arrivedBytes(fromUs, toUs) * 8.0 / (toUs - fromUs);
    }

    @ParameterizedTest
    @CsvSource({"BBR, 100, 250, 1", "BBR, 100, 250, 3", "BBR, 20, 50, 3", "CUBIC, 100, 250, 1", "CUBIC, 100, 250, 3"})
    void transferContinuesSoonAfterAnOutage(CongestionAlgorithm algorithm, long megabits, int roundTripMs, int seconds) {
        long endUs = START_US + seconds * 1_000_000L;
        Flow flow = flows.add(link(megabits, roundTripMs).outage(START_US, endUs), algorithm, roundTripMs, 5 + seconds + 5, options -> { });
        network.runUntil(START_US);
        int rtoMs = flow.kcp().rtoMs();
        network.runUntil(endUs + 5_000_000);
        assertThat((flow.firstArrivalUs(endUs) - endUs) / 1_000).as("time until data arrives, timeout %d ms", rtoMs)
            .isLessThanOrEqualTo(rtoMs + (rtoMs >> 1) + roundTripMs);
    }

    @ParameterizedTest
    @CsvSource({"20, 50, 1", "20, 50, 3", "100, 250, 1", "100, 250, 3"})
    void outageDoesNotChangeTheModelOfThePath(long megabits, int roundTripMs, int seconds) {
        long endUs = START_US + seconds * 1_000_000L;
        Flow flow = flows.add(link(megabits, roundTripMs).outage(START_US, endUs), CongestionAlgorithm.BBR, roundTripMs, 20,
            options -> { });
        network.runUntil(START_US);
        long bandwidth = bbr(flow).bandwidth();
        long nearUs = endUs + 40L * roundTripMs * 1_000;
        network.runUntil(nearUs);
        assertThat(bbr(flow).bandwidth()).as("bandwidth after the outage").isGreaterThan(bandwidth * 9 / 10);
        assertThat(bbr(flow).minRttUs()).isBetween(roundTripMs * 1_000L, roundTripMs * 1_000L + 2_000);
        assertThat(bbr(flow).lossShare()).as("loss of the path").isLessThan(0.01);
        network.runUntil(20_000_000);
        assertThat(megabits(flow, nearUs, 20_000_000)).as("rate after the outage").isGreaterThan(0.85 * megabits);
    }

    /** Without the probes, each timeout retransmits 64 segments, and each acknowledgement permits the retransmission of two more. */
    @ParameterizedTest
    @CsvSource({"NONE, 500", "BBR, 1000", "CUBIC, 2000"})
    void pauseOfThePeerCausesFewSpuriousRetransmissions(CongestionAlgorithm algorithm, int startMs) {
        Bottleneck link = new Bottleneck(SEED, 2_000_000_000).queueBytes(100_000_000);
        long startUs = startMs * 1_000L;
        long endUs = startUs + 1_000_000;
        Flow flow = flows.add(link, algorithm, 100, 5, options -> {
            options.stallFromUs = startUs;
            options.stallToUs = endUs;
        });
        network.runUntil(startUs);
        assertThat(flow.kcp().waitingSegments()).isEqualTo(WINDOW);
        KcpStats before = flow.kcp().stats();
        network.runUntil(endUs + 600_000);
        KcpStats after = flow.kcp().stats();
        long retransmissions = after.timeoutRetransmissions() - before.timeoutRetransmissions() + after.fastRetransmissions()
            - before.fastRetransmissions() + after.earlyRetransmissions() - before.earlyRetransmissions();
        assertThat(retransmissions).as("retransmissions, all of them spurious").isLessThanOrEqualTo(WINDOW / 100);
        assertThat(megabits(flow, endUs + 200_000, endUs + 600_000)).as("rate after the pause")
            .isGreaterThan(0.5 * megabits(flow, startUs - 300_000, startUs));
    }

    @Test
    void pathWithLowerBandwidthAndLongerRoundTripIsMeasuredAgain() {
        Bottleneck link = new Bottleneck(SEED, 100_000_000).queueBytes(125_000)
            .rates(new Bottleneck.Step(0, 100_000_000), new Bottleneck.Step(START_US, 10_000_000));
        Flow flow = flows.add(link, CongestionAlgorithm.BBR, 10, 15, options -> { });
        network.runUntil(START_US);
        assertThat(bbr(flow).minRttUs()).isLessThan(11_000);
        flow.move(60_000);
        network.runUntil(15_000_000);
        assertThat(bbr(flow).minRttUs()).isBetween(60_000L, 75_000L);
        assertThat(megabits(flow, 7_000_000, 15_000_000)).isGreaterThan(0.85 * 10);
    }
}
