package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests reordering without loss (S3 of the scenario table). */
class ScenarioReorderTest {

    private static final long TWO_MEGABYTES = 2_000_000;
    private static final int LIMIT_MS = 300_000;

    @RegisterExtension
    static final KnownMissCheck KNOWN_MISSES = new KnownMissCheck();

    /** S3: maximum percentage of spurious retransmissions with heavy reordering. */
    private static final double S3_MAX_SPURIOUS_PERCENT = 5.0;
    /** S3: maximum percentage of spurious retransmissions if one datagram in twenty is late. */
    private static final double S3_MAX_SPURIOUS_PERCENT_LIGHT = 1.0;
    /** S3: maximum time of a transfer with reordering. The link needs 0.2 s; slow start takes most of the time. */
    private static final double S3_MAX_SECONDS = 2.0;
    /** S3: maximum time of a transfer with jitter: twelve windows of 128 segments, each within the longest round trip of 250 ms. */
    private static final double S3_MAX_JITTER_SECONDS = 3.0;
    /** S3: share of the runs that may exceed a limit, because the delays of a run are random. */
    private static final double S3_SHARE = 0.02;
    /** S3: the worst value of a run, relative to a limit. */
    private static final double S3_WORST = 1.8;

    @ParameterizedTest
    @CsvSource({"FAST, NONE", "FAST, CUBIC", "FAST3, NONE", "FAST3, CUBIC"})
    void heavyReorderingCausesFewSpuriousRetransmissions(Preset preset, CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband().reorder(0.25, 50).build();
        run("S3 reorder 25 % by 50 ms", preset, congestionControl, link, S3_MAX_SPURIOUS_PERCENT, S3_MAX_SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"FAST, NONE", "FAST, CUBIC", "FAST3, NONE", "FAST3, CUBIC"})
    void lightReorderingCausesHardlyAnySpuriousRetransmission(Preset preset, CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband().reorder(0.05, 50).build();
        run("S3 reorder 5 % by 50 ms", preset, congestionControl, link, S3_MAX_SPURIOUS_PERCENT_LIGHT, S3_MAX_SECONDS);
    }

    /** Runs with one preset, because the results of both presets are equal with jitter. */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "CUBIC"})
    void reorderingJitterCausesFewSpuriousRetransmissions(CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband().jitterMs(100, false).build();
        run("S3 jitter 0-100 ms", Preset.FAST, congestionControl, link, S3_MAX_SPURIOUS_PERCENT, S3_MAX_JITTER_SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Preset.class)
    void orderPreservingJitterCausesFewSpuriousRetransmissions(Preset preset) {
        LinkProfile link = LinkProfile.broadband().jitterMs(100, true).build();
        run("S3 jitter 0-100 ms in order", preset, CongestionAlgorithm.NONE, link, S3_MAX_SPURIOUS_PERCENT, LIMIT_MS / 1_000.0);
    }

    private static void run(String name, Preset preset, CongestionAlgorithm congestionControl, LinkProfile link,
        double maxSpuriousPercent, double maxSeconds) {
        KcpConfig config = preset.config.toBuilder().congestionControl(congestionControl).build();
        Scenario scenario = Scenario.named(name + ", " + preset + ' ' + congestionControl)
            .allowShareAbove("spurious %", maxSpuriousPercent, S3_SHARE, S3_WORST * maxSpuriousPercent)
            .allowShareAbove("seconds", maxSeconds, S3_SHARE, S3_WORST * maxSeconds);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
                pair.sendFromA(TWO_MEGABYTES);
                scenario.record("seconds", pair.assertCompletes(LIMIT_MS) / 1000.0);
                scenario.record("retransmissions %", 100.0 * pair.a().sent().retransmissions() / pair.a().sent().segments());
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
            }
        });
    }

    private enum Preset {
        FAST(KcpConfig.fast()),
        FAST3(KcpConfig.fast3());

        private final KcpConfig config;

        Preset(KcpConfig config) {
            this.config = config;
        }
    }
}
