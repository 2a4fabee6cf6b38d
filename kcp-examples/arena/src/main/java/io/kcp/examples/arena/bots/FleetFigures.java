package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** What all bots of a fleet did so far. All event loops count. */
final class FleetFigures {

    private static final int DIGITS = 3;

    final LongAdder joined = new LongAdder();
    final LongAdder snapshots = new LongAdder();
    final LongAdder snapshotsMissed = new LongAdder();
    final LongAdder said = new LongAdder();
    final LongAdder acknowledged = new LongAdder();
    final LongAdder decodeErrors = new LongAdder();
    final Histogram rttNanos = new ConcurrentHistogram(DIGITS);
    final Histogram ackNanos = new ConcurrentHistogram(DIGITS);
    final Histogram outageNanos = new ConcurrentHistogram(DIGITS);
    private final Map<KickReason, LongAdder> kicked = new EnumMap<>(KickReason.class);

    FleetFigures() {
        for (KickReason reason : KickReason.values()) {
            kicked.put(reason, new LongAdder());
        }
    }

    /** A bot is in again that had heard nothing for so long. */
    void onBack(long outage) {
        outageNanos.recordValue(Math.max(0, outage));
    }

    void onKicked(KickReason reason) {
        LongAdder count = kicked.get(reason);
        assert count != null;
        count.increment();
    }

    Map<KickReason, Long> kicked() {
        Map<KickReason, Long> counts = new EnumMap<>(KickReason.class);
        kicked.forEach((reason, count) -> {
            if (count.sum() > 0) {
                counts.put(reason, count.sum());
            }
        });
        return counts;
    }
}
