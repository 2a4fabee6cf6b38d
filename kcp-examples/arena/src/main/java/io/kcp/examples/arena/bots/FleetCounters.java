package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counters and time histograms of all bots of a fleet. Thread safe. */
final class FleetCounters {

    private static final int DIGITS = 3;
    private static final int LONGEST_OUTAGES = 3;
    final LongAdder joined = new LongAdder();
    final LongAdder snapshots = new LongAdder();
    final LongAdder snapshotsMissed = new LongAdder();
    final LongAdder said = new LongAdder();
    final LongAdder acknowledged = new LongAdder();
    final Histogram rttNanos = new ConcurrentHistogram(DIGITS);
    final Histogram gapNanos = new ConcurrentHistogram(DIGITS);
    final Histogram ackNanos = new ConcurrentHistogram(DIGITS);
    final Histogram outageNanos = new ConcurrentHistogram(DIGITS);
    private final NavigableSet<BotReport.Outage> longestOutages = new TreeSet<>(
        Comparator.comparingLong(BotReport.Outage::ms).thenComparing(BotReport.Outage::end).thenComparing(BotReport.Outage::bot));
    private final Map<KickReason, LongAdder> kicked = new ConcurrentHashMap<>();

    /** Records an outage, and keeps the details of the longest outages for the report. */
    synchronized void countOutage(String bot, long nanos, List<String> notes) {
        outageNanos.recordValue(Math.max(0, nanos));
        longestOutages.add(new BotReport.Outage(bot, nanos / 1_000_000, Instant.now(), notes));
        if (longestOutages.size() > LONGEST_OUTAGES) {
            longestOutages.pollFirst();
        }
    }

    /** Returns the longest outages in descending order of their duration. */
    synchronized List<BotReport.Outage> longestOutages() {
        return List.copyOf(longestOutages.descendingSet());
    }

    void countKick(KickReason reason) {
        kicked.computeIfAbsent(reason, first -> new LongAdder()).increment();
    }

    Map<KickReason, Long> kicked() {
        Map<KickReason, Long> counts = new EnumMap<>(KickReason.class);
        kicked.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }

    synchronized void resetTimes() {
        longestOutages.clear();
        rttNanos.reset();
        gapNanos.reset();
        ackNanos.reset();
        outageNanos.reset();
    }
}
