package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbeIntervalTest {

    private static LongSummaryStatistics intervals(long minRttUs, int policedProbes) {
        ProbeInterval interval = new ProbeInterval(5);
        return LongStream.generate(() -> interval.nextUs(minRttUs, policedProbes)).limit(10_000).summaryStatistics();
    }

    /** Behind a policer, the interval doubles with each probe, up to eight seconds. */
    @ParameterizedTest
    @CsvSource({
        "1_000, 0, 1_000_000, 1_500_000", "125_000, 0, 1_000_000, 1_500_000", "300_000, 0, 2_400_000, 3_600_000",
        "1_000, 1, 2_000_000, 3_000_000", "1_000, 2, 4_000_000, 6_000_000", "1_000, 3, 8_000_000, 8_000_001",
        "1_000, 9, 8_000_000, 8_000_001", "2_000_000, 2, 16_000_000, 24_000_000"})
    void intervalsAreSpreadOverTheWholeRange(long minRttUs, int policedProbes, long leastUs, long beforeUs) {
        LongSummaryStatistics intervals = intervals(minRttUs, policedProbes);
        long range = beforeUs - leastUs;
        assertThat(intervals.getMin()).isBetween(leastUs, leastUs + range / 100);
        assertThat(intervals.getMax()).isBetween(beforeUs - 1 - range / 100, beforeUs - 1);
        assertThat(intervals.getAverage()).isBetween(leastUs + range * 0.48 - 1, leastUs + range * 0.52);
    }

    @Test
    void conversationsWithDifferentSeedsProbeAtDifferentTimes() {
        long distinct = LongStream.range(0, 1_000).map(seed -> new ProbeInterval((int) seed).nextUs(1_000, 0) / 1_000).distinct().count();
        assertThat(distinct).isGreaterThan(250);
    }
}
