package io.kcp.core;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Datagrams that overtake each other but all arrive: S3 of the scenario table. */
class ScenarioReorderTest {

    private static final long TWO_MEGABYTES = 2_000_000;
    private static final int LIMIT_MS = 300_000;

    /** S3: spurious retransmissions per segment where reordering is heavy. */
    private static final double S3_MAX_SPURIOUS_PERCENT = 5.0;
    /** S3: the same where one datagram in twenty is late. */
    private static final double S3_MAX_SPURIOUS_PERCENT_LIGHT = 1.0;

    @ParameterizedTest
    @CsvSource({"FAST, NONE", "FAST, CUBIC", "FAST3, NONE", "FAST3, CUBIC"})
    void heavyReorderingCausesFewNeedlessRetransmissions(Preset preset, CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband().reorder(0.25, 50).build();
        run("S3 reorder 25 % by 50 ms", preset, congestionControl, link, S3_MAX_SPURIOUS_PERCENT);
    }

    @ParameterizedTest
    @CsvSource({"FAST, NONE", "FAST, CUBIC", "FAST3, NONE", "FAST3, CUBIC"})
    void lightReorderingCausesHardlyAnyNeedlessRetransmission(Preset preset, CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband().reorder(0.05, 50).build();
        run("S3 reorder 5 % by 50 ms", preset, congestionControl, link, S3_MAX_SPURIOUS_PERCENT_LIGHT);
    }

    @ParameterizedTest
    @CsvSource({"FAST, NONE", "FAST, CUBIC", "FAST3, NONE", "FAST3, CUBIC"})
    void jitterThatReordersCausesFewNeedlessRetransmissions(Preset preset, CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband().jitterMs(100, false).build();
        run("S3 jitter 0-100 ms", preset, congestionControl, link, S3_MAX_SPURIOUS_PERCENT);
    }

    @ParameterizedTest
    @EnumSource(Preset.class)
    void jitterThatKeepsTheOrderCausesFewNeedlessRetransmissions(Preset preset) {
        LinkProfile link = LinkProfile.broadband().jitterMs(100, true).build();
        run("S3 jitter 0-100 ms in order", preset, CongestionAlgorithm.NONE, link, S3_MAX_SPURIOUS_PERCENT);
    }

    private static void run(String name, Preset preset, CongestionAlgorithm congestionControl, LinkProfile link,
        double maxSpuriousPercent) {
        KcpConfig config = preset.config.toBuilder().congestionControl(congestionControl).build();
        Scenario scenario = Scenario.named(name + ", " + preset + ' ' + congestionControl);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(config).links(link).build()) {
                pair.sendFromA(TWO_MEGABYTES);
                scenario.record("seconds", pair.assertCompletes(LIMIT_MS) / 1000.0);
                scenario.record("retransmissions %", 100.0 * pair.a().sent().retransmissions() / pair.a().sent().segments());
                scenario.assertAtMost("spurious %", pair.a().sent().spuriousPercent(), maxSpuriousPercent);
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
