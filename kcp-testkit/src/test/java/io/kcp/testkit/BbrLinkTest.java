package io.kcp.testkit;

import static io.kcp.testkit.SimulatedFlows.SEED;
import static io.kcp.testkit.SimulatedFlows.bbr;
import static io.kcp.testkit.SimulatedFlows.config;
import static io.kcp.testkit.SimulatedFlows.link;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests BBR over simulated links. {@link CongestionTable} measures the same properties over more links, seeds and time. */
class BbrLinkTest {

    private static final int SHARING_RUNS = 12;

    @RegisterExtension
    final SimulatedFlows flows = new SimulatedFlows(options -> options.measureFromUs = 1_000_000);
    private final SimulatedNetwork network = flows.network;

    private Flow run(Bottleneck link, int roundTripMs, int seconds, Consumer<Flow.Options> settings) {
        Flow flow = flows.add(link, CongestionAlgorithm.BBR, roundTripMs, seconds, settings);
        network.runUntil(seconds * 1_000_000L);
        return flow;
    }

    private static double megabits(Flow flow, int fromSecond, int toSecond) {
        return flow.deliveredBytes(fromSecond * 1_000_000L, toSecond * 1_000_000L) * 8.0 / (toSecond - fromSecond) / 1e6;
    }

    @Test
    void sameSeedGivesTheSameRun() {
        CongestionTable.Cell cell = new CongestionTable.Cell(20, 50, 0.05, PeerKind.THIS_LIBRARY);
        CongestionTable.Result first = CongestionTable.run(CongestionAlgorithm.BBR, cell, SEED, 5);
        assertThat(CongestionTable.run(CongestionAlgorithm.BBR, cell, SEED, 5)).isEqualTo(first);
        assertThat(CongestionTable.run(CongestionAlgorithm.BBR, cell, SEED + 1, 5)).isNotEqualTo(first);
    }

    @Test
    void heavyRandomLossBelowTheRateIsCompensated() {
        Flow flow = run(link(20, 50).loss(0.4), 50, 20, options -> { });
        assertThat(megabits(flow, 5, 20)).isGreaterThan(0.85 * 20 * 0.6);
        assertThat(bbr(flow).lossShare()).isBetween(0.35, 0.45);
    }

    @Test
    void lossesInBursts() {
        assertThat(megabits(run(link(20, 50).loss(0.02).bursts(5), 50, 20, options -> { }), 2, 20)).isGreaterThan(0.8 * 20 * 0.98);
    }

    @ParameterizedTest
    @CsvSource({"20, 50, 20", "8, 100, 50"})
    void jitterDoesNotHalveTheRate(long megabits, int roundTripMs, int jitterMs) {
        Flow flow = run(link(megabits, roundTripMs), roundTripMs, 30, options -> options.jitterUs = jitterMs * 1_000L);
        assertThat(megabits(flow, 5, 30)).isGreaterThan(0.75 * megabits);
    }

    @Test
    void acknowledgementsInBurstsOf40Ms() {
        Flow flow = run(link(20, 50), 50, 20, options -> options.acknowledgementStepUs = 40_000);
        assertThat(megabits(flow, 2, 20)).isGreaterThan(0.85 * 20);
    }

    @Test
    void lossOfATenthOfTheAcknowledgements() {
        Flow flow = run(link(20, 50), 50, 20, options -> options.acknowledgementLoss = 0.1);
        assertThat(megabits(flow, 2, 20)).isGreaterThan(0.85 * 20);
        assertThat(bbr(flow).lossShare()).as("lost acknowledgements are no lost data").isLessThan(0.02);
    }

    /** Without repeated acknowledgements, the rate is 74 %, and 15 % of the segments are retransmitted. */
    @Test
    void lossOfAThirdOfTheAcknowledgementsBeyondGaps() {
        Flow flow = run(link(20, 50).loss(0.01), 50, 20, options -> options.acknowledgementLoss = 0.3);
        assertThat(megabits(flow, 2, 20)).isGreaterThan(0.88 * 20);
        assertThat(flow.kcp().stats().retransmissions()).isLessThan(flow.kcp().stats().segmentsOut() / 20);
    }

    @Test
    void policerIsNotTakenForRandomLoss() {
        Flow flow = run(link(50, 50).policer(10_000_000, 20_000), 50, 30, options -> { });
        assertThat(megabits(flow, 5, 30)).isGreaterThan(8);
        assertThat(flow.queueDropShare()).isLessThan(0.05);
        assertThat(bbr(flow).lossShare()).isLessThan(0.05);
    }

    /** Few segments at a reduced rate may contain no loss by chance. Later losses must not be taken for those of a policer for good. */
    @ParameterizedTest
    @ValueSource(longs = {8, 10, 11, 15, 18})
    @Tag("slow")
    void randomLossIsRecognizedAgainAfterSegmentsWithoutLosses(long seed) {
        Bottleneck link = new Bottleneck(seed, 100_000_000).queueBytes(125_000).loss(0.05);
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.BBR).windows(1_024).build();
        Flow.Options options = new Flow.Options();
        options.acknowledgementLoss = 0.05;
        Flow flow = flows.add(new Flow(network, link, config, 10_000, seed, options));
        network.runUntil(60_000_000);
        assertThat(megabits(flow, 0, 60)).as("33 to 37 if the losses at a reduced rate are not measured again").isGreaterThan(60);
    }

    /** Behind a policer with a full bucket, few losses at a reduced rate must not let the sender compensate for losses at the full rate. */
    @ParameterizedTest
    @CsvSource({"20, 1", "20, 6", "100, 4", "100, 7", "100, 18"})
    void lossesBehindAPolicerAreNotCompensated(int bucketKilobytes, long seed) {
        Bottleneck link = new Bottleneck(seed, 50_000_000).queueBytes(312_500).policer(10_000_000, bucketKilobytes * 1_000L);
        Flow.Options options = new Flow.Options();
        Flow flow = flows.add(new Flow(network, link, config(CongestionAlgorithm.BBR), 50_000, seed * 100, options));
        network.runUntil(60_000_000);
        assertThat(megabits(flow, 0, 60)).isGreaterThan(9.3);
        assertThat(flow.lossShare()).as("lost, with the start").isLessThan(0.05);
    }

    /** A response of 47 segments takes 26 ms at the rate of the link, and its delivery rate is limited by the round trip. */
    @ParameterizedTest
    @CsvSource({"0, 160", "0.01, 160"})
    void shortResponsesAreNotPacedAtTheirOwnDeliveryRate(double loss, int medianMs) {
        int responses = 60;
        LinkProfile link = LinkProfile.builder().rateBitsPerSecond(20_000_000).framingBytes(Bottleneck.FRAMING_BYTES).queueBytes(500_000)
            .delayMs(100).lossProbability(loss).build();
        try (KcpPair pair = KcpPair.builder(SEED).configs(KcpConfig.auto()).links(link).build()) {
            TransferPlan plan = TransferPlan.ofMessages(SEED, responses, 64_000);
            pair.b().application().expect(plan, true);
            pair.b().application().measureDelivery(0, 500_000);
            pair.a().application().write(plan, Integer.MAX_VALUE, 500_000);
            pair.assertCompletes(600_000);
            long[] us = pair.b().application().deliveryTimesUs();
            Arrays.sort(us);
            assertThat(us[responses / 2]).as("median, us, seed %d", SEED).isLessThan(medianMs * 1_000L);
        }
    }

    /** A queue of 25 datagrams delays the responses by an eighth of the round trip at most, so that only their losses reveal it. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.03})
    void shortResponsesDoNotOverflowAShortQueue(double loss) {
        int responses = 200;
        Bottleneck link = new Bottleneck(SEED, 20_000_000).queueBytes(25 * 1_430).loss(loss);
        Flow flow = flows.add(shortResponses(link, loss, responses));
        for (int i = 0; i < responses; i++) {
            network.schedule(1_000_000 + i * 500_000L, flow::write);
        }
        network.runUntil(110_000_000);
        assertThat(flow.queueDropShare()).as("dropped by the queue").isLessThan(0.03);
    }

    private Flow shortResponses(Bottleneck link, double loss, int responses) {
        Flow.Options options = new Flow.Options();
        options.bulk = false;
        options.messageBytes = 64_000;
        options.durationUs = (responses + 20) * 500_000L;
        options.measureFromUs = 10_000_000;
        options.acknowledgementLoss = loss;
        return new Flow(network, link, KcpConfig.auto(), 200_000, SEED, options);
    }

    /** With seed 1, few segments of the responses are lost at a reduced rate by chance, and many in two probes. */
    @Test
    void randomLossOfShortResponsesIsNotTakenForAPolicer() {
        int responses = 300;
        LinkProfile link = LinkProfile.builder().rateBitsPerSecond(20_000_000).framingBytes(Bottleneck.FRAMING_BYTES).queueBytes(500_000)
            .delayMs(100).lossProbability(0.1).build();
        try (KcpPair pair = KcpPair.builder(SEED).configs(KcpConfig.auto()).fec(FecConfig.of(10, 3)).links(link).build()) {
            TransferPlan plan = TransferPlan.ofMessages(SEED, responses, 64_000);
            pair.b().application().expect(plan, true);
            pair.b().application().measureDelivery(0, 500_000);
            pair.a().application().write(plan, Integer.MAX_VALUE, 500_000);
            pair.assertCompletes(600_000);
            assertThat(Arrays.stream(pair.b().application().deliveryTimesUs()).max().orElseThrow()).as("slowest response, us")
                .isLessThan(2_000_000);
        }
    }

    @Test
    void shortQueueIsNotTakenForRandomLoss() {
        Bottleneck link = new Bottleneck(SEED, 20_000_000).queueBytes(12_500);
        Flow flow = run(link, 50, 20, options -> { });
        assertThat(megabits(flow, 2, 20)).isGreaterThan(0.85 * 20);
        assertThat(flow.queueDropShare()).isLessThan(0.03);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("slow")
    void gigabitIsReachedWithEitherClock(boolean fineClock) {
        Flow flow = run(link(1_000, 20), 20, 3, options -> options.fineClock = fineClock);
        assertThat(megabits(flow, 1, 3)).isGreaterThan(850);
        assertThat(flow.queueDropShare()).isLessThan(0.01);
    }

    @Test
    void roundTripOfZeroMilliseconds() {
        Bottleneck link = new Bottleneck(SEED, 1_000_000_000).queueBytes(1_000_000);
        assertThat(megabits(run(link, 0, 2, options -> options.fineClock = false), 1, 2)).isGreaterThan(700);
    }

    @Test
    void rateFollowsTheLink() {
        Bottleneck link = link(20, 50).rates(new Bottleneck.Step(0, 20_000_000), new Bottleneck.Step(10_000_000, 5_000_000),
            new Bottleneck.Step(20_000_000, 20_000_000));
        Flow flow = run(link, 50, 30, options -> { });
        assertThat(flow.maxQueueMs(11_500_000, 20_000_000)).as("queue 1.5 s after the rate has fallen").isLessThan(60);
        assertThat(megabits(flow, 12, 20)).isGreaterThan(0.85 * 5);
        assertThat(megabits(flow, 22, 30)).as("2 s after the rate has risen").isGreaterThan(0.85 * 20);
    }

    /** With a period above the round trip, no message is in flight when the next one is sent. */
    @ParameterizedTest
    @ValueSource(ints = {50, 60, 100, 200})
    void smallMessagesDoNotLowerTheBandwidth(int periodMs) {
        Bottleneck link = link(20, 50);
        Flow flow = flows.add(link, CongestionAlgorithm.BBR, 50, 30, options -> { });
        network.runUntil(5_000_000);
        flow.bulk(false);
        network.runUntil(10_000_000);
        long before = bbr(flow).bandwidth();
        for (int ms = 10_000; ms < 20_000; ms += periodMs) {
            network.runUntil(ms * 1_000L);
            flow.write();
        }
        assertThat(bbr(flow).bandwidth()).as("bandwidth after 10 s of small messages").isGreaterThanOrEqualTo(before / 2);
        flow.bulk(true);
        network.runUntil(30_000_000);
        assertThat(megabits(flow, 21, 30)).isGreaterThan(0.85 * 20);
    }

    /** The last segment of each message overdraws the pacer, although no data waits afterwards. */
    @ParameterizedTest
    @ValueSource(ints = {20_000, 30_000})
    void messagesThatOverdrawThePacerDoNotLowerTheBandwidth(int messageBytes) {
        Flow flow = flows.add(link(20, 50), CongestionAlgorithm.BBR, 50, 20, options -> options.messageBytes = messageBytes);
        network.runUntil(5_000_000);
        flow.bulk(false);
        network.runUntil(8_000_000);
        long before = bbr(flow).bandwidth();
        for (int ms = 8_000; ms < 18_000; ms += 100) {
            network.runUntil(ms * 1_000L);
            flow.write();
        }
        assertThat(bbr(flow).bandwidth()).as("bandwidth after 10 s of messages").isGreaterThan(before * 9 / 10);
    }

    @Test
    void exchangeOfSmallMessagesDoesNotDelayALaterDownload() {
        Flow flow = flows.add(link(20, 50), CongestionAlgorithm.BBR, 50, 3, options -> { });
        flow.bulk(false);
        for (int ms = 0; ms < 1_000; ms += 100) {
            network.runUntil(ms * 1_000L);
            flow.write();
        }
        network.runUntil(1_000_000);
        flow.bulk(true);
        network.runUntil(3_000_000);
        double megabits = flow.deliveredBytes(1_500_000, 2_500_000) * 8 / 1e6;
        assertThat(megabits).as("rate after 10 round trips").isGreaterThan(0.8 * 20);
    }

    @Test
    void smallPeerWindowIsFullyUsed() {
        Flow.Options options = new Flow.Options();
        options.durationUs = 10_000_000;
        KcpConfig small = config(CongestionAlgorithm.BBR).toBuilder().windows(64).build();
        Flow flow = new Flow(network, link(20, 250), small, 250_000, SEED, options);
        flows.add(flow);
        network.runUntil(10_000_000);
        assertThat(megabits(flow, 2, 10)).as("the full window in each round trip").isGreaterThan(0.9 * 64 * 1_376 * 8 / 0.25 / 1e6);
    }

    /** Windows a little above the capacity of the link are full after each flush, which must not keep BBR in its start phase. */
    @ParameterizedTest
    @CsvSource({"10, 100, 128, 10", "10, 100, 128, 25", "100, 60, 1024, 50"})
    void fullWindowDoesNotDisableCongestionControl(int megabits, int roundTripMs, int windowSegments, int queueDatagrams) {
        Flow.Options options = new Flow.Options();
        options.durationUs = 15_000_000;
        KcpConfig config = config(CongestionAlgorithm.BBR).toBuilder().windows(windowSegments).build();
        Bottleneck link = new Bottleneck(SEED, megabits * 1_000_000L).queueBytes(queueDatagrams * 1_400L);
        Flow flow = flows.add(new Flow(network, link, config, roundTripMs * 1_000L, SEED, options));
        network.runUntil(15_000_000);
        assertThat(megabits(flow, 5, 15)).isGreaterThan(0.8 * megabits);
        assertThat(flow.kcp().stats().retransmissions()).isLessThan(flow.kcp().stats().segmentsOut() / 15);
    }

    @Test
    void twoFlowsShareTheLink() {
        Bottleneck link = link(20, 50);
        Flow first = flows.add(link, CongestionAlgorithm.BBR, 50, 40, options -> { });
        Flow second = flows.add(link, CongestionAlgorithm.BBR, 50, 40, options -> options.startUs = 5_000_000);
        network.runUntil(40_000_000);
        double one = megabits(first, 15, 40);
        double other = megabits(second, 15, 40);
        assertThat((one + other) * (one + other) / 2 / (one * one + other * other)).as("Jain's index").isGreaterThan(0.95);
        assertThat(one + other).isGreaterThan(0.9 * 20);
    }

    /** A single run depends on when the two flows lose segments. {@link ScenarioBbrTest} runs flows to other peers. */
    @Test
    @Tag("slow")
    void cubicGetsItsShare() {
        List<Double> shares = new ArrayList<>();
        for (int queueRoundTrips : new int[] {1, 2, 4}) {
            List<Double> ofQueue = new ArrayList<>();
            for (int seed = 1; seed <= SHARING_RUNS; seed++) {
                ofQueue.add(shareBesideCubic(PeerKind.THIS_LIBRARY, queueRoundTrips, seed));
            }
            assertThat(ofQueue.stream().mapToDouble(Double::doubleValue).average().orElseThrow()).as("queue of %d round trips",
                queueRoundTrips).isBetween(0.35, 0.65);
            shares.addAll(ofQueue);
        }
        assertThat(shares).allSatisfy(share -> assertThat(share).isBetween(0.29, 0.65));
        assertThat(shares.stream().filter(share -> share < 0.35)).hasSizeLessThanOrEqualTo(1);
    }

    static double shareBesideCubic(PeerKind peers, int queueRoundTrips, long seed) {
        SimulatedNetwork shared = new SimulatedNetwork();
        Bottleneck link = new Bottleneck(seed, 20_000_000).queueBytes(125_000L * queueRoundTrips);
        Flow.Options options = new Flow.Options();
        options.peers = peers;
        Flow bbr = new Flow(shared, link, config(CongestionAlgorithm.BBR), 50_000, seed * 100, options);
        Flow cubic = new Flow(shared, link, config(CongestionAlgorithm.CUBIC), 50_000, seed * 100 + 1, options);
        shared.runUntil(60_000_000);
        double share = megabits(bbr, 10, 60) / (megabits(bbr, 10, 60) + megabits(cubic, 10, 60));
        bbr.release();
        cubic.release();
        shared.release();
        return share;
    }
}
