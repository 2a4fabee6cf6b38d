package io.kcp.bench;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.SynchronizedHistogram;

/** How long messages were under way. Any thread may add. */
final class DelayRecord {

    private static final long LONGEST_US = TimeUnit.MINUTES.toMicros(10);
    private static final int DIGITS = 3;

    private final SynchronizedHistogram delaysUs = new SynchronizedHistogram(LONGEST_US, DIGITS);

    void add(long delayNs) {
        delaysUs.recordValue(Math.min(LONGEST_US, Math.max(0, TimeUnit.NANOSECONDS.toMicros(delayNs))));
    }

    /** What was added so far. */
    JsonLine report() {
        SynchronizedHistogram now = delaysUs.copy();
        JsonLine line = JsonLine.event("delay").put("received", now.getTotalCount());
        return now.getTotalCount() == 0 ? line : line.put("p50_ms", percentileMs(now, 50)).put("p90_ms", percentileMs(now, 90))
            .put("p99_ms", percentileMs(now, 99)).put("p999_ms", percentileMs(now, 99.9))
            .put("max_ms", percentileMs(now, 100));
    }

    private static double percentileMs(SynchronizedHistogram delaysUs, double percentile) {
        return delaysUs.getValueAtPercentile(percentile) / 1e3;
    }
}
