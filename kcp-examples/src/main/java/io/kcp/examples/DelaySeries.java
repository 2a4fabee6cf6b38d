package io.kcp.examples;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Delays of all delivered messages, measured from each message's scheduled send time to its delivery. */
final class DelaySeries {

    private static final int DIGITS = 3;
    private static final int POINTS_PER_HALVING = 10;
    private static final double LAST_PERCENTILE = 99.9;

    /** Scheduled send time and delivery time of one message, both as values of {@link System#nanoTime}. */
    record Message(long plannedNanos, long deliveredNanos) {

        long delayMicros() {
            return Math.max(0, (deliveredNanos - plannedNanos) / 1_000);
        }
    }

    /** A point of a chart. */
    record Point(double x, double y) {
    }

    private final List<Message> messages;
    private final long firstNanos;
    private final Histogram micros = new Histogram(DIGITS);

    /** Creates a series with all messages that have been delivered to any player. */
    DelaySeries(List<DelayRecorder> players) {
        messages = players.stream().flatMap(DelayRecorder::messages).toList();
        firstNanos = messages.stream().mapToLong(Message::plannedNanos).min().orElse(0);
        messages.forEach(message -> micros.recordValue(message.delayMicros()));
    }

    /** Returns the number of seconds from the scheduled send time of the first message to the last delivery. */
    double durationSeconds() {
        return (messages.stream().mapToLong(Message::deliveredNanos).max().orElse(firstNanos) - firstNanos) / 1e9;
    }

    double maxMs() {
        return micros.getMaxValue() / 1e3;
    }

    /** Returns the delay in milliseconds at a percentile. */
    double percentileMs(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1e3;
    }

    /** Returns the percentage of messages whose delay exceeded {@code limitMs}. */
    double percentAbove(double limitMs) {
        return 100 - micros.getPercentileAtOrBelowValue((long) (limitMs * 1e3));
    }

    /** Returns the longest delay in each of a number of equal intervals, as points (seconds, milliseconds). */
    List<Point> longestPerInterval(int intervals) {
        double[] longestMs = new double[intervals];
        double intervalNanos = durationSeconds() * 1e9 / intervals;
        for (Message message : messages) {
            int interval = (int) Math.min(intervals - 1, (message.plannedNanos - firstNanos) / intervalNanos);
            longestMs[interval] = Math.max(longestMs[interval], message.delayMicros() / 1e3);
        }
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < intervals; i++) {
            if (longestMs[i] > 0) {
                points.add(new Point((i + 0.5) * intervalNanos / 1e9, longestMs[i]));
            }
        }
        return points;
    }

    /**
     * Returns the delays at percentiles up to 99.9 %, as points (1 / fraction of messages above the percentile, milliseconds). On a
     * logarithmic axis, 90 %, 99 % and 99.9 % are then equally far apart.
     */
    List<Point> percentileCurve() {
        List<Point> points = new ArrayList<>();
        for (HistogramIterationValue value : micros.percentiles(POINTS_PER_HALVING)) {
            if (value.getPercentileLevelIteratedTo() < LAST_PERCENTILE) {
                points.add(new Point(100 / (100 - value.getPercentileLevelIteratedTo()), value.getValueIteratedTo() / 1e3));
            }
        }
        points.add(new Point(100 / (100 - LAST_PERCENTILE), percentileMs(LAST_PERCENTILE)));
        return points;
    }
}
