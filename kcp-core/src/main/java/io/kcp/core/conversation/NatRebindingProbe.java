package io.kcp.core.conversation;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.peer.LivenessProbe;
import io.kcp.core.internal.session.DatagramReport;

/**
 * Repeats the latest acknowledgement while no datagrams arrive, so that the peer detects the new address of this side after a NAT has
 * changed its mapping. A side that only receives would otherwise send nothing, and the peer would continue to send to the old address.
 *
 * <p>The first repetition is sent after 100 ms or one round trip without a datagram, whichever is longer. The interval doubles each time.
 * After {@value #MAX_REPETITIONS} repetitions without a response, only the keepalive repeats the acknowledgement. Each repetition is sent
 * together with an empty duplicate PUSH that has a new {@code ts}, so that the peer can distinguish the repetition from a replay.
 */
final class NatRebindingProbe {

    private static final int MIN_INTERVAL_MS = 100;
    private static final int MAX_REPETITIONS = 7;

    private final int timestampBase;
    private final RttEstimator rtt;
    private boolean known;
    private boolean ofStored;
    private int sn;
    private int ts;
    private boolean running;
    private boolean exhausted;
    private int repetitions;
    private int dueAtMs;
    private int probeSn;
    private int probeTs;
    private boolean probeSent;
    /** Round-trip time of the latest repetition that received a response. A side that only receives has no other round-trip sample. */
    private int roundTripMs;

    NatRebindingProbe(int timestampBase, RttEstimator rtt) {
        this.timestampBase = timestampBase;
        this.rtt = rtt;
    }

    /**
     * Records the acknowledgement to repeat, which is that of the stored segment with the highest {@code sn}, because the peer can always
     * verify it. Until a segment is stored, the acknowledgement of the newest probe is repeated instead.
     */
    void onReport(DatagramReport report, int timeMs) {
        if (report.newestPush && (report.newestPushStored || !ofStored)) {
            known = true;
            ofStored |= report.newestPushStored;
            sn = report.newestPushSn;
            ts = report.newestPushTs;
        }
        if (report.strayAck && probeSent && report.strayAckSn == probeSn && report.strayAckTs == probeTs) {
            roundTripMs = Math.max(0, timeMs - (probeTs - timestampBase));
            probeSent = false;
            running = false;
        }
        if (report.verified) {
            start(timeMs + intervalMs());
        }
    }

    /** Starts a series of repetitions after data was sent, unless a series is running or the latest series received no response. */
    void onDataSent(int timeMs) {
        if (!running && !exhausted) {
            start(timeMs + intervalMs());
        }
    }

    /** Repeats the acknowledgement with the next flush, and starts a new series of repetitions. */
    void repeatNow(int timeMs) {
        start(timeMs);
    }

    private void start(int firstAtMs) {
        running = known;
        exhausted = false;
        repetitions = 0;
        dueAtMs = firstAtMs;
    }

    private int intervalMs() {
        return Math.max(MIN_INTERVAL_MS, Math.max(roundTripMs, rtt.smoothedRttMs()));
    }

    int msUntilDue(int timeMs) {
        return running ? Math.max(0, dueAtMs - timeMs) : ProtocolConstants.NO_DEADLINE;
    }

    void write(DatagramWriter writer, int oldestUnackedSn, int timeMs) {
        if (!running || timeMs - dueAtMs < 0) {
            return;
        }
        probeSn = LivenessProbe.duplicateSn(oldestUnackedSn);
        probeTs = timeMs + timestampBase;
        probeSent = true;
        writer.control(SegmentHeader.CMD_ACK, sn, ts);
        writer.control(SegmentHeader.CMD_WASK, probeSn, probeTs);
        writer.control(SegmentHeader.CMD_PUSH, probeSn, probeTs);
        dueAtMs = timeMs + (intervalMs() << repetitions);
        repetitions++;
        exhausted = repetitions >= MAX_REPETITIONS;
        running = !exhausted;
    }
}
