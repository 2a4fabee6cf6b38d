package io.kcp.examples.arena.room;

import io.kcp.examples.arena.wire.KickReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** Counts events in Micrometer, so that {@code /actuator/prometheus} exports them. Thread safe. */
@Component
public final class ArenaCounters {

    private static final String KICKED = "arena.kicked";
    final Counter joined;
    final Counter resumed;
    final Counter inputs;
    final Counter said;
    final Counter heard;
    final Counter snapshotsSent;
    final Counter snapshotsSkipped;
    final Counter outOfBandBytesOut;
    final Counter outOfBandBytesIn;
    private final MeterRegistry meters;

    ArenaCounters(MeterRegistry meters) {
        this.meters = meters;
        joined = meters.counter("arena.joined");
        resumed = meters.counter("arena.resumed");
        inputs = meters.counter("arena.inputs");
        said = meters.counter("arena.said");
        heard = meters.counter("arena.heard");
        snapshotsSent = meters.counter("arena.snapshots.sent");
        snapshotsSkipped = meters.counter("arena.snapshots.skipped");
        outOfBandBytesOut = meters.counter("arena.oob.bytes", "direction", "out");
        outOfBandBytesIn = meters.counter("arena.oob.bytes", "direction", "in");
    }

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
        meters.counter(KICKED, "reason", reason.name()).increment();
    }

    /**
     * Returns the number of sessions that were closed for the given reason.
     *
     * @param reason the reason
     * @return sessions
     */
    public long kicked(KickReason reason) {
        return count(meters.counter(KICKED, "reason", reason.name()));
    }

    /**
     * Returns the current values of all counters.
     *
     * @return the current values
     */
    public Values values() {
        return new Values(count(joined), count(resumed), count(inputs), count(said), count(heard), count(snapshotsSent),
            count(snapshotsSkipped), count(outOfBandBytesOut), count(outOfBandBytesIn));
    }

    private static long count(Counter counter) {
        return (long) counter.count();
    }
}
