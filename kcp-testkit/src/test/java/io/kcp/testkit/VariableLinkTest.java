package io.kcp.testkit;

import static io.kcp.testkit.SimulatedFlows.SEED;
import static io.kcp.testkit.SimulatedFlows.link;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpStats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests bulk transfers over links whose rate varies, that pause, that release datagrams together, and that differ by direction. */
class VariableLinkTest {

    private static final long SECOND = 1_000_000;
    /** The goal for the queue of every algorithm: a quarter of the round trip of 50 ms. CUBIC misses this goal, because it fills queues. */
    private static final double QUEUE_GOAL_MS = 12.5;
    /** The queue of 125 kB at 5 Mbit/s. */
    private static final double FULL_QUEUE_MS = 200;
    /** The goal for a rate that changes by a factor of up to 2.5 every four round trips. */
    private static final double TRACE_GOAL = 0.8;
    /** The goal for a slow reverse path. */
    private static final double ASYMMETRIC_GOAL = 0.9;

    @RegisterExtension
    static final KnownMissCheck KNOWN_MISSES = new KnownMissCheck();
    @RegisterExtension
    final SimulatedFlows flows = new SimulatedFlows(options -> options.binUs = 20_000);
    private final SimulatedNetwork network = flows.network;

    /**
     * Returns a trace of six seconds that was generated for these tests. Every 200 ms, the rate changes by a factor of up to 2.5, between
     * 1.5 and 14 Mbit/s. The link delivers nothing from 3.2 to 3.4 s.
     */
    static DeliveryTrace cellular() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
            Objects.requireNonNull(VariableLinkTest.class.getResourceAsStream("cellular.trace")), StandardCharsets.US_ASCII))) {
            return DeliveryTrace.parse(lines.lines().toList());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static double megabits(Flow flow, long fromUs, long toUs) {
        return flow.deliveredBytes(fromUs, toUs) * 8.0 / (toUs - fromUs);
    }

    @ParameterizedTest
    @CsvSource({"BBR, THIS_LIBRARY, " + QUEUE_GOAL_MS, "BBR, OTHER_KCP, " + QUEUE_GOAL_MS, "CUBIC, THIS_LIBRARY, " + FULL_QUEUE_MS})
    void flowConvergesWithinTwoSecondsAfterTheRateChanges(CongestionAlgorithm algorithm, PeerKind peers, double maxQueueMs) {
        Bottleneck link = link(20, 50).rates(new Bottleneck.Step(0, 20_000_000), new Bottleneck.Step(10 * SECOND, 5_000_000),
            new Bottleneck.Step(20 * SECOND, 20_000_000));
        Flow flow = flows.add(link, algorithm, 50, 30, options -> options.peers = peers);
        network.runUntil(30 * SECOND);
        assertAtMost("Rate of the link falls, " + algorithm + ", " + peers, "queue from 1 s later on, ms",
            flow.maxQueueMs(11 * SECOND, 20 * SECOND), maxQueueMs);
        assertThat(megabits(flow, 12 * SECOND, 13 * SECOND)).as("2 s after the rate has fallen").isGreaterThan(0.9 * 5);
        assertThat(megabits(flow, 12 * SECOND, 20 * SECOND)).isGreaterThan(0.9 * 5);
        assertThat(megabits(flow, 22 * SECOND, 23 * SECOND)).as("2 s after the rate has risen").isGreaterThan(0.9 * 20);
        assertThat(megabits(flow, 22 * SECOND, 30 * SECOND)).isGreaterThan(0.9 * 20);
    }

    @ParameterizedTest
    @CsvSource({"BBR, THIS_LIBRARY", "BBR, OTHER_KCP", "CUBIC, THIS_LIBRARY"})
    void flowFollowsARecordedRate(CongestionAlgorithm algorithm, PeerKind peers) {
        Bottleneck link = new Bottleneck(SEED, 1).queueBytes(100_000).trace(cellular());
        Flow flow = flows.add(link, algorithm, 50, 30, options -> options.peers = peers);
        network.runUntil(30 * SECOND);
        assertThat(megabits(flow, 2 * SECOND, 30 * SECOND)).isGreaterThan(TRACE_GOAL * cellular().meanBitsPerSecond() / 1e6);
        assertAtMost("Recorded rate, " + algorithm + ", " + peers, "drop share", flow.queueDropShare(), 0.02);
    }

    /** Checks a limit of a single run, which may be one of {@link KnownMisses}. */
    private static void assertAtMost(String name, String measurement, double value, double limit) {
        Scenario scenario = Scenario.named(name).only(Variant.PLAIN);
        scenario.forSomeSeeds(Integer.MAX_VALUE, seed -> scenario.assertAtMost(measurement, value, limit));
    }

    @ParameterizedTest
    @CsvSource({"BBR, 5, 0.9", "BBR, 20, 0.9", "BBR, 40, 0.9", "CUBIC, 5, 0.9", "CUBIC, 20, 0.9", "CUBIC, 40, 0.85"})
    void acknowledgementsThatArriveTogetherDoNotLowerTheRate(CongestionAlgorithm algorithm, int intervalMs, double share) {
        Flow flow = flows.add(link(20, 50), algorithm, 50, 20, options -> options.acknowledgementStepUs = intervalMs * 1_000);
        network.runUntil(20 * SECOND);
        assertThat(megabits(flow, 2 * SECOND, 20 * SECOND)).isGreaterThan(share * 20);
        assertThat(flow.queueDropShare()).isLessThan(0.01);
    }

    /** What an interruption of one second does to the datagrams that enter a link in that time. */
    enum Interruption {
        DATA_LOST, ACKNOWLEDGEMENTS_LOST, BOTH_LOST, DATA_QUEUED, ACKNOWLEDGEMENTS_QUEUED, BOTH_QUEUED;

        void apply(Bottleneck link, Bottleneck reverse, long fromUs, long toUs) {
            if (this == DATA_LOST || this == BOTH_LOST) {
                link.outage(fromUs, toUs);
            }
            if (this == ACKNOWLEDGEMENTS_LOST || this == BOTH_LOST) {
                reverse.outage(fromUs, toUs);
            }
            if (this == DATA_QUEUED || this == BOTH_QUEUED) {
                link.pause(fromUs, toUs);
            }
            if (this == ACKNOWLEDGEMENTS_QUEUED || this == BOTH_QUEUED) {
                reverse.pause(fromUs, toUs);
            }
        }
    }

    static Stream<Arguments> interruptions() {
        return Stream.of(CongestionAlgorithm.BBR, CongestionAlgorithm.CUBIC)
            .flatMap(algorithm -> Stream.of(Interruption.values()).map(interruption -> Arguments.of(algorithm, interruption)));
    }

    @ParameterizedTest
    @MethodSource("interruptions")
    void transferContinuesAfterAnInterruptionOfEitherDirection(CongestionAlgorithm algorithm, Interruption interruption) {
        long fromUs = 5 * SECOND;
        long toUs = 6 * SECOND;
        Bottleneck link = link(20, 50);
        Bottleneck reverse = new Bottleneck(SEED, 20_000_000);
        interruption.apply(link, reverse, fromUs, toUs);
        Flow flow = flows.add(link, algorithm, 50, 12, options -> options.reverse = reverse);
        network.runUntil(fromUs);
        int rtoMs = flow.kcp().rtoMs();
        KcpStats before = flow.kcp().stats();
        network.runUntil(toUs + SECOND);
        KcpStats after = flow.kcp().stats();
        network.runUntil(12 * SECOND);
        assertThat((flow.firstArrivalUs(toUs) - toUs) / 1_000).as("time until data arrives, timeout %d ms", rtoMs)
            .isLessThanOrEqualTo(rtoMs + (rtoMs >> 1) + 50);
        assertThat(megabits(flow, toUs + SECOND / 2, toUs + 3 * SECOND / 2)).as("rate from 0.5 s on").isGreaterThan(0.85 * 20);
        assertThat(megabits(flow, toUs + SECOND, 12 * SECOND)).isGreaterThan(0.9 * 20);
        assertThat(after.retransmissions() - before.retransmissions()).as("a link of one second carries 1,790 segments").isLessThan(360);
        assertThat(after.spuriousRetransmissions() - before.spuriousRetransmissions()).as("spurious").isLessThan(180);
    }

    /** One acknowledgement per segment needs 730 kbit/s, so that only acknowledgements of several segments permit the full rate. */
    @ParameterizedTest
    @CsvSource({"BBR, 2000, " + ASYMMETRIC_GOAL, "BBR, 500, " + ASYMMETRIC_GOAL, "BBR, 200, 0.87", "CUBIC, 2000, " + ASYMMETRIC_GOAL,
        "CUBIC, 500, " + ASYMMETRIC_GOAL, "CUBIC, 200, 0.87"})
    void slowReversePathWithALongerDelay(CongestionAlgorithm algorithm, long kilobits, double share) {
        Flow flow = runOnSlowReversePath(algorithm, kilobits, true);
        assertThat(flow.kcp().smoothedRttMs()).as("10 ms there, 50 ms back, and the queues").isBetween(60, 60 + 60 + 10);
        assertThat(megabits(flow, 2 * SECOND, 20 * SECOND)).isGreaterThan(share * 20);
        assertThat(flow.queueDropShare()).isLessThan(0.01);
    }

    /** Other implementations acknowledge each segment, and BBR keeps the queue of the acknowledgements short. */
    @Test
    void slowReversePathLimitsTheRateIfEachSegmentIsAcknowledged() {
        assertThat(megabits(runOnSlowReversePath(CongestionAlgorithm.BBR, 500, false), 2 * SECOND, 20 * SECOND))
            .isGreaterThan(0.9 * 20 * 500 / 730);
    }

    private Flow runOnSlowReversePath(CongestionAlgorithm algorithm, long kilobits, boolean introduced) {
        Bottleneck reverse = new Bottleneck(SEED + 1, kilobits * 1_000).queueBytes(20_000);
        Flow flow = flows.add(link(20, 60), algorithm, 20, 20, options -> {
            options.reverse = reverse;
            options.reverseDelayUs = 50_000;
            options.peers = introduced ? PeerKind.THIS_LIBRARY : PeerKind.OTHER_KCP;
        });
        network.runUntil(20 * SECOND);
        return flow;
    }
}
