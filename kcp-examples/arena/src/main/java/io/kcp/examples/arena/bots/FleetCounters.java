package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counters and time histograms of all bots of a fleet. Thread safe. */
final class FleetCounters {

    private static final int DIGITS = 3;
    final LongAdder joined = new LongAdder();
    final LongAdder snapshots = new LongAdder();
    final LongAdder snapshotsMissed = new LongAdder();
    final LongAdder said = new LongAdder();
    final LongAdder acknowledged = new LongAdder();
    final Histogram rttNanos = new ConcurrentHistogram(DIGITS);
    final Histogram gapNanos = new ConcurrentHistogram(DIGITS);
    final Histogram ackNanos = new ConcurrentHistogram(DIGITS);
    final Histogram outageNanos = new ConcurrentHistogram(DIGITS);
    private final Map<KickReason, LongAdder> kicked = new ConcurrentHashMap<>();

    void countKick(KickReason reason) {
        kicked.computeIfAbsent(reason, first -> new LongAdder()).increment();
    }

    Map<KickReason, Long> kicked() {
        Map<KickReason, Long> counts = new EnumMap<>(KickReason.class);
        kicked.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }

    void resetTimes() {
        rttNanos.reset();
        gapNanos.reset();
        ackNanos.reset();
        outageNanos.reset();
    }
}
