package io.kcp.examples;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The delay of each message, from its scheduled send time to its delivery. Messages are ordered by scheduled send time. */
final class DelaySeries {

    private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);
    private static final int DIGITS = 3;

    private final long[] plannedNanos;
    private final long[] deliveredNanos;
    private final Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);

    /** Takes ownership of both arrays, which hold the times of each message. {@code plannedNanos} must be sorted. */
    private DelaySeries(long[] plannedNanos, long[] deliveredNanos) {
        this.plannedNanos = plannedNanos;
        this.deliveredNanos = deliveredNanos;
        for (int i = 0; i < plannedNanos.length; i++) {
            long delayMicros = TimeUnit.NANOSECONDS.toMicros(deliveredNanos[i] - plannedNanos[i]);
            micros.recordValue(Math.min(Math.max(0, delayMicros), HIGHEST_MICROS));
        }
    }

    /** Returns the delays of all messages that have been delivered so far to any of the players. */
    static DelaySeries of(List<DelayRecorder> players) {
        long[][] messages = players.stream().flatMap(player -> IntStream.range(0, player.delivered())
                .mapToObj(message -> new long[] {player.plannedNanos(message), player.deliveredNanos(message)}))
            .sorted((a, b) -> Long.compare(a[0] - b[0], 0)).toArray(long[][]::new);
        return new DelaySeries(Stream.of(messages).mapToLong(message -> message[0]).toArray(),
            Stream.of(messages).mapToLong(message -> message[1]).toArray());
    }

    int size() {
        return plannedNanos.length;
    }

    /** Returns the scheduled send time of a message, in seconds after that of the first message. */
    double plannedAtSeconds(int message) {
        return (plannedNanos[message] - plannedNanos[0]) / 1e9;
    }

    double delayMs(int message) {
        return (deliveredNanos[message] - plannedNanos[message]) / 1e6;
    }

    /** Returns the seconds from the scheduled send time of the first message to the last delivery. */
    double durationSeconds() {
        return (LongStream.of(deliveredNanos).max().orElse(plannedNanos[0]) - plannedNanos[0]) / 1e9;
    }

    double maxMs() {
        return micros.getMaxValue() / 1e3;
    }

    /** Returns the delay at a percentile, in milliseconds. */
    double percentileMs(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1e3;
    }

    /** Returns the percentage of messages whose delay exceeded {@code limitMs}. */
    double percentAbove(double limitMs) {
        return 100 - micros.getPercentileAtOrBelowValue((long) (limitMs * 1e3));
    }
}
