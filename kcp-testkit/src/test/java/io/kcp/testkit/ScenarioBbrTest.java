package io.kcp.testkit;

import static io.kcp.testkit.SimulatedFlows.config;

import io.kcp.core.CongestionAlgorithm;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests bulk transfers with BBR over links with random loss, with the goals of the guide and with both kinds of peer. */
class ScenarioBbrTest {

    private static final double MAX_SHARE = 0.02;
    /** The largest distance of any run from a limit of the goodput. */
    private static final double WORST_MISS = 0.1;
    private static final double MIN_GOODPUT_BOTH_WAYS = 0.85;
    private static final int BOTH_WAYS_SECONDS = 13;
    private static final int BOTH_WAYS_START_SECONDS = 3;
    private static final double MAX_QUEUE_AFTER_IDLE_MS = 25;

    @RegisterExtension
    static final KnownMissCheck KNOWN_MISSES = new KnownMissCheck();

    private static String name(String text, long megabits, int roundTripMs, double loss, PeerKind peers) {
        return "BBR, " + text + ", " + megabits + " Mbit/s, " + roundTripMs + " ms, " + Math.round(100 * loss) + " % lost, " + peers;
    }

    @ParameterizedTest
    @CsvSource({"20, 20, 0, THIS_LIBRARY", "20, 20, 0.1, THIS_LIBRARY", "20, 50, 0, THIS_LIBRARY", "20, 50, 0.05, THIS_LIBRARY",
        "20, 50, 0.1, THIS_LIBRARY", "20, 250, 0.02, THIS_LIBRARY", "100, 50, 0.05, THIS_LIBRARY", "20, 20, 0, OTHER_KCP",
        "20, 20, 0.1, OTHER_KCP", "20, 50, 0, OTHER_KCP", "20, 50, 0.05, OTHER_KCP", "20, 50, 0.1, OTHER_KCP", "20, 250, 0.02, OTHER_KCP",
        "100, 50, 0.05, OTHER_KCP"})
    void randomLossIsNotCongestion(long megabits, int roundTripMs, double loss, PeerKind peers) {
        CongestionTable.Cell cell = new CongestionTable.Cell(megabits, roundTripMs, loss, peers);
        Scenario scenario = Scenario.named(name("data", megabits, roundTripMs, loss, peers)).only(Variant.PLAIN)
            .allowShareBelow("goodput share", cell.minGoodput(), MAX_SHARE, cell.minGoodput() - WORST_MISS)
            .allowShareAbove("queue p95 ms", cell.maxQueueMs(), MAX_SHARE, 1.2 * cell.maxQueueMs());
        scenario.forSomeSeeds(10, seed -> {
            CongestionTable.Result result = CongestionTable.run(CongestionAlgorithm.BBR, cell, seed, roundTripMs > 100 ? 60 : 20);
            scenario.record("goodput share", result.goodputShare());
            scenario.record("queue p95 ms", result.queueP95Ms());
            scenario.assertAtMost("drop share", result.dropShare(), CongestionTable.MAX_DROPS);
            scenario.assertAtMost("80 % of the rate after ms", result.rampMs(), cell.maxRampMs());
        });
    }

    @ParameterizedTest
    @CsvSource({"20, 50, 0.05, THIS_LIBRARY", "50, 20, 0.05, THIS_LIBRARY", "50, 20, 0.1, THIS_LIBRARY", "20, 50, 0.05, OTHER_KCP",
        "50, 20, 0.05, OTHER_KCP", "50, 20, 0.1, OTHER_KCP"})
    void lossInBothDirectionsIsNotCongestion(long megabits, int roundTripMs, double loss, PeerKind peers) {
        Scenario scenario = Scenario.named(name("data and acknowledgements", megabits, roundTripMs, loss, peers)).only(Variant.PLAIN)
            .allowShareBelow("goodput share", MIN_GOODPUT_BOTH_WAYS, MAX_SHARE, MIN_GOODPUT_BOTH_WAYS - WORST_MISS);
        scenario.forSomeSeeds(5, seed -> {
            SimulatedNetwork network = new SimulatedNetwork();
            Bottleneck link = new Bottleneck(seed, megabits * 1_000_000).queueBytes(megabits * 125 * roundTripMs).loss(loss);
            Flow.Options options = new Flow.Options();
            options.peers = peers;
            options.acknowledgementLoss = loss;
            options.durationUs = BOTH_WAYS_SECONDS * 1_000_000L;
            Flow flow = new Flow(network, link, config(CongestionAlgorithm.BBR), roundTripMs * 1_000L, seed, options);
            network.runUntil(options.durationUs);
            double bytes = flow.deliveredBytes(BOTH_WAYS_START_SECONDS * 1_000_000L, options.durationUs);
            flow.release();
            network.release();
            scenario.record("goodput share",
                bytes * 8 / (BOTH_WAYS_SECONDS - BOTH_WAYS_START_SECONDS) / (megabits * 1e6) / (1 - loss));
        });
    }

    @ParameterizedTest
    @EnumSource
    void idlePeriodIsNotFollowedByABurst(PeerKind peers) {
        Scenario scenario = Scenario.named("BBR after 20 s without data, " + peers).only(Variant.PLAIN);
        scenario.forSomeSeeds(10, seed -> {
            SimulatedNetwork network = new SimulatedNetwork();
            Bottleneck link = new Bottleneck(seed, 20_000_000).queueBytes(125_000);
            Flow.Options options = new Flow.Options();
            options.peers = peers;
            options.durationUs = 40_000_000;
            options.measureFromUs = 25_000_000;
            Flow flow = new Flow(network, link, config(CongestionAlgorithm.BBR), 50_000, seed, options);
            network.runUntil(5_000_000);
            flow.bulk(false);
            network.runUntil(25_000_000);
            flow.bulk(true);
            network.runUntil(40_000_000);
            scenario.assertAtMost("drop share", flow.queueDropShare(), CongestionTable.MAX_DROPS);
            scenario.assertAtMost("queue in the first second, ms", flow.maxQueueMs(25_000_000, 26_000_000), MAX_QUEUE_AFTER_IDLE_MS);
            scenario.assertAtLeast("rate from the second second on, Mbit/s",
                flow.deliveredBytes(26_000_000, 40_000_000) * 8.0 / 14 / 1e6, 0.85 * 20);
            flow.release();
            network.release();
        });
    }

    /** {@link BbrLinkTest} runs both flows with peers of this library. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void cubicAndBbrShareALinkToOtherPeers(int queueRoundTrips) {
        Scenario scenario = Scenario.named("BBR beside CUBIC, queue of " + queueRoundTrips + " round trips, " + PeerKind.OTHER_KCP)
            .only(Variant.PLAIN).allowShareBelow("share of BBR", 0.35, 1 / 36.0, 0.29);
        scenario.forSomeSeeds(10, seed -> {
            double share = BbrLinkTest.shareBesideCubic(PeerKind.OTHER_KCP, queueRoundTrips, seed);
            scenario.record("share of BBR", share);
            scenario.assertAtMost("largest share of BBR", share, 0.65);
        });
    }
}
