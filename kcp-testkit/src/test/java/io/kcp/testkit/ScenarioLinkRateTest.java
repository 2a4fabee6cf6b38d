package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests links with a limited rate, a bounded queue and a long delay (S5 and S9 of the scenario table). */
class ScenarioLinkRateTest {

    private static final int RTT_MS = 50;
    /** IPv4 and UDP headers of a datagram on the link. */
    private static final int FRAMING_BYTES = 28;
    private static final int SHORT_QUEUE_DATAGRAMS = 25;
    private static final int BLOAT_MS = 1_000;

    /** S5: minimum goodput relative to the rate of the link, with a queue of at least one bandwidth-delay product. */
    private static final double S5_MIN_GOODPUT_SHARE = 0.85;
    /** S5: minimum goodput relative to the rate of the link, with a queue of 25 datagrams. */
    private static final double S5_MIN_GOODPUT_SHARE_SHORT_QUEUE = 0.60;
    /**
     * S5: goodput with FEC, relative to the required goodput. CUBIC reduces its window after losses that FEC recovers, and notices only a
     * part of them. The congestion control of kcp-go does not notice them, so its goodput is sometimes slightly higher.
     */
    private static final double S5_FEC_TOLERANCE = 0.95;
    /**
     * S5: minimum goodput without congestion control, relative to kcp-go's timing on the same link. Both waste most of the
     * link's rate.
     */
    private static final double S5_MIN_SHARE_OF_KCP_GO = 0.9;
    /** S5: maximum time for which the application receives no byte if nothing limits the sender: back-off limit plus round trip. */
    private static final int S5_MAX_STARVATION_MS = 2_000 + RTT_MS;
    /** S9: spurious retransmissions after the second measurement of the round trip. */
    private static final long S9_MAX_SPURIOUS_AFTER_SECOND_SAMPLE = 0;

    private static KcpConfig config(CongestionAlgorithm congestionControl) {
        return withLargeWindows(KcpConfig.fast(), congestionControl);
    }

    /** Windows larger than the bytes in flight on any of these paths, so that the window does not limit. */
    private static KcpConfig withLargeWindows(KcpConfig config, CongestionAlgorithm congestionControl) {
        return config.toBuilder().congestionControl(congestionControl).windows(2_048).build();
    }

    private static LinkProfile link(long megabitsPerSecond, Queue queue) {
        long bitsPerSecond = megabitsPerSecond * 1_000_000;
        LinkProfile.Builder link = LinkProfile.builder().rateBitsPerSecond(bitsPerSecond).framingBytes(FRAMING_BYTES)
            .delayMs(RTT_MS / 2);
        return switch (queue) {
            case SHORT -> link.queueDatagrams(SHORT_QUEUE_DATAGRAMS).build();
            case ROUND_TRIP -> link.queueBytes(bitsPerSecond / 8 * RTT_MS / 1_000).build();
            case BLOAT -> link.queueBytes(bitsPerSecond / 8 * BLOAT_MS / 1_000).build();
        };
    }

    /** Returns the goodput of one transfer as share of the link's rate. */
    private static double goodputShare(long seed, String name, PeerKind peers, KcpConfig config, long megabitsPerSecond, Queue queue,
        long bytes, Scenario scenario) {
        try (KcpPair pair = scenario.pair(seed).peers(peers).configs(config).links(link(megabitsPerSecond, queue)).build()) {
            pair.sendFromA(bytes);
            long elapsedMs = pair.assertCompletes(600_000);
            scenario.record(name + " dropped %", 100.0 * pair.a().sent().queueDrops() / pair.a().sent().datagrams());
            scenario.record(name + " spurious %", pair.a().sent().spuriousPercent());
            double pauseMs = pair.b().application().longestReadPauseMs();
            scenario.assertAtMost(name + " longest pause ms", pauseMs, name.equals("ours") ? S5_MAX_STARVATION_MS : 600_000);
            double share = bytes * 8.0 / elapsedMs / 1_000 / megabitsPerSecond;
            scenario.record(name + " goodput share", share);
            return share;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, SHORT", "1, ROUND_TRIP", "1, BLOAT",
        "10, SHORT", "10, ROUND_TRIP", "10, BLOAT",
        "100, SHORT", "100, ROUND_TRIP", "100, BLOAT"})
    @Tag("slow")
    void congestionControlUsesTheLinkRate(long megabitsPerSecond, Queue queue) {
        // The link transmits this data in ten seconds. Few seeds are enough, because few decisions are random.
        long bytes = megabitsPerSecond * 1_250_000;
        int oneIn = megabitsPerSecond == 100 ? 25 : 5;
        double limit = queue == Queue.SHORT ? S5_MIN_GOODPUT_SHARE_SHORT_QUEUE : S5_MIN_GOODPUT_SHARE;
        Scenario scenario = Scenario.named("S5 " + megabitsPerSecond + " Mb/s, queue " + queue)
            .only(Variant.PLAIN, Variant.FEC_AND_CIPHER);
        scenario.forSomeSeeds(oneIn, seed -> {
            double kcpGoShare = goodputShare(seed, "KCP_GO", PeerKind.OTHER_KCP, config(CongestionAlgorithm.KCP_GO), megabitsPerSecond,
                queue, bytes, scenario);
            double share = goodputShare(seed, "CUBIC", PeerKind.THIS_LIBRARY, config(CongestionAlgorithm.CUBIC), megabitsPerSecond, queue,
                bytes, scenario);
            double tolerance = scenario.variant().hasFec() ? S5_FEC_TOLERANCE : 1;
            scenario.assertAtLeast("goodput share", share, tolerance * Math.max(limit * scenario.variant().payloadShare(), kcpGoShare));
        });
    }

    @ParameterizedTest
    @CsvSource({"1, SHORT", "1, ROUND_TRIP", "10, SHORT", "10, ROUND_TRIP", "100, SHORT"})
    @Tag("slow")
    void senderWithoutCongestionControlMakesProgress(long megabitsPerSecond, Queue queue) {
        Scenario scenario = Scenario.named("S5 nc=1, " + megabitsPerSecond + " Mb/s, queue " + queue)
            .only(Variant.PLAIN, Variant.FEC_AND_CIPHER);
        scenario.forSomeSeeds(megabitsPerSecond == 100 ? 25 : 5, seed -> {
            long bytes = megabitsPerSecond * 400_000;
            KcpConfig kcpGo = withLargeWindows(KcpConfig.kcpGoCompatible().toBuilder().intervalMs(30).fastResend(2).build(),
                CongestionAlgorithm.NONE);
            double kcpGoShare = goodputShare(seed, "kcp-go", PeerKind.OTHER_KCP, kcpGo, megabitsPerSecond, queue, bytes, scenario);
            double share = goodputShare(seed, "ours", PeerKind.THIS_LIBRARY, config(CongestionAlgorithm.NONE), megabitsPerSecond, queue,
                bytes, scenario);
            scenario.assertAtLeast("goodput share", share, kcpGoShare * S5_MIN_SHARE_OF_KCP_GO);
        });
    }

    @Test
    void knownLongRoundTripCausesNoSpuriousTimeout() {
        LinkProfile link = LinkProfile.broadband().delayMs(750).build();
        for (KcpConfig config : new KcpConfig[] {KcpConfig.fast(), KcpConfig.fast3(), config(CongestionAlgorithm.CUBIC)}) {
            Scenario scenario = Scenario.named("S9 round trip 1500 ms, " + config);
            scenario.forEachSeed(seed -> {
                try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
                    pair.sendFromA(1_000_000);
                    pair.runUntil(() -> pair.a().inputs() >= 2, 60_000);
                    long spuriousAtFirst = pair.a().sent().spuriousRetransmissions();
                    scenario.record("spurious before", spuriousAtFirst);
                    scenario.record("seconds", pair.assertCompletes(120_000) / 1000.0);
                    scenario.assertAtMost("spurious after second sample",
                        pair.a().sent().spuriousRetransmissions() - spuriousAtFirst, S9_MAX_SPURIOUS_AFTER_SECOND_SAMPLE);
                }
            });
        }
    }

    private enum Queue { SHORT, ROUND_TRIP, BLOAT }
}
