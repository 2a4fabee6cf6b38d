package io.kcp.examples.arena.room;

import io.kcp.examples.arena.wire.KickReason;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.stereotype.Component;

/** Counters of all events since the start of the gateway. Thread safe. */
@Component
public final class ArenaCounters {

    final LongAdder joined = new LongAdder();
    final LongAdder resumed = new LongAdder();
    final LongAdder inputs = new LongAdder();
    final LongAdder said = new LongAdder();
    final LongAdder heard = new LongAdder();
    final LongAdder snapshotsSent = new LongAdder();
    final LongAdder snapshotsSkipped = new LongAdder();
    final LongAdder outOfBandBytesOut = new LongAdder();
    final LongAdder outOfBandBytesIn = new LongAdder();
    private final Map<KickReason, LongAdder> kicked = new ConcurrentHashMap<>();

    /**
     * Immutable copy of all counter values.
     *
     * @param joined            players that entered a room, including resumed ones
     * @param resumed           players that resumed after a lost session
     * @param inputs            inputs received
     * @param said              messages received from players
     * @param heard             messages sent to players
     * @param snapshotsSent     snapshots sent to players
     * @param snapshotsSkipped  snapshots not sent because earlier ones were still in flight
     * @param outOfBandBytesOut bytes of snapshots sent out of band, which the KCP statistics do not contain
     * @param outOfBandBytesIn  bytes of inputs received out of band
     */
    public record Values(long joined, long resumed, long inputs, long said, long heard, long snapshotsSent, long snapshotsSkipped,
                         long outOfBandBytesOut, long outOfBandBytesIn) {
    }

    void countKick(KickReason reason) {
        kicked.computeIfAbsent(reason, first -> new LongAdder()).increment();
    }

    /**
     * Returns the number of sessions that were closed for a reason.
     *
     * @param reason the reason
     * @return sessions
     */
    public long kicked(KickReason reason) {
        LongAdder count = kicked.get(reason);
        return count == null ? 0 : count.sum();
    }

    /**
     * Returns the current values of all counters.
     *
     * @return the current values
     */
    public Values values() {
        return new Values(joined.sum(), resumed.sum(), inputs.sum(), said.sum(), heard.sum(), snapshotsSent.sum(), snapshotsSkipped.sum(),
            outOfBandBytesOut.sum(), outOfBandBytesIn.sum());
    }
}
