package io.kcp.examples;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** How long each chunk of a transfer took, from its acceptance by KCP to its delivery, in the order of the chunks. */
final class DelaySeries {

    private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);
    private static final int DIGITS = 3;

    private final long[] acceptedNanos;
    private final long[] deliveredNanos;
    private final Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);

    /** Takes both arrays: when each chunk was accepted and when it was delivered. */
    DelaySeries(long[] acceptedNanos, long[] deliveredNanos) {
        this.acceptedNanos = acceptedNanos;
        this.deliveredNanos = deliveredNanos;
        for (int i = 0; i < acceptedNanos.length; i++) {
            long delayMicros = TimeUnit.NANOSECONDS.toMicros(deliveredNanos[i] - acceptedNanos[i]);
            micros.recordValue(Math.min(Math.max(0, delayMicros), HIGHEST_MICROS));
        }
    }

    int size() {
        return acceptedNanos.length;
    }

    /** When a chunk was accepted, in seconds since the first one was. */
    double acceptedAtSeconds(int chunk) {
        return (acceptedNanos[chunk] - acceptedNanos[0]) / 1e9;
    }

    double delayMs(int chunk) {
        return (deliveredNanos[chunk] - acceptedNanos[chunk]) / 1e6;
    }

    /** From the first acceptance to the last delivery. */
    double durationSeconds() {
        return (deliveredNanos[size() - 1] - acceptedNanos[0]) / 1e9;
    }

    double meanMs() {
        return micros.getMean() / 1e3;
    }

    double maxMs() {
        return micros.getMaxValue() / 1e3;
    }

    /** The delay that so many percent of the chunks did not exceed. */
    double percentileMs(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1e3;
    }
}
