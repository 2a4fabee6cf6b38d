package io.kcp.core.internal.loss;

import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.memory.RetransmitReason;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Detects lost segments without visiting all segments in flight: the segments that were skipped or time out next are at the heads of the
 * lists of {@link FlightLists}.
 *
 * <p>As in KCP, the acknowledgement of a transmission skips every earlier transmission. This needs no counter per segment, because a
 * segment was skipped {@code k} times if the {@code k}-th highest acknowledged transmission is later than its own. Reordering is measured
 * as in RACK (RFC 8985): a late acknowledgement shows how long to wait before a skipped or unacknowledged segment is considered lost.
 */
public final class LossDetector {

    /** Time in milliseconds after which suspended timeouts are checked again. */
    private static final int SUSPENDED_MS = 10;

    private final RttEstimator rtt;
    private final FlightLists flight = new FlightLists();
    private long nextOrder = 1;
    /** The highest orders among the acknowledged transmissions, in descending order. */
    private long[] highestAcked = new long[1];
    private int skipNotedAtMs;
    // Settings, see KcpConfig.
    private @Nullable RecoveredSegments recoveredSegments; // null if no parity is sent
    private int fastResend;
    private EarlyRetransmit earlyRetransmit = EarlyRetransmit.OFF;
    private boolean adaptiveReordering;
    private boolean noDelay;
    private int intervalMs;
    private int backoffLimitMs;

    private final FlightStall stall = new FlightStall();
    private boolean interruptionNoted;
    private final ReorderingEstimate reordering = new ReorderingEstimate();
    private int progressAtMs;
    private boolean progressSeen;
    /**
     * Time until which timeouts are suspended, so that the acknowledgement of the latest retransmission can provide a round-trip sample
     * first.
     */
    private int probingUntilMs;
    private boolean probing;
    private final TimeoutRounds rounds = new TimeoutRounds();
    private final TimeoutSuspension suspension = new TimeoutSuspension();
    private long segmentsVisited;

    public LossDetector(RttEstimator rtt) {
        this.rtt = rtt;
    }

    public void reconfigure(KcpConfig config) {
        fastResend = config.fastResend();
        flight.setFastResendLimit(config.fastResendLimit());
        earlyRetransmit = config.earlyRetransmit();
        adaptiveReordering = config.adaptiveReordering();
        noDelay = config.noDelay();
        intervalMs = config.intervalMs();
        backoffLimitMs = config.backoffLimitMs();
        highestAcked = Arrays.copyOf(highestAcked, Math.max(1, fastResend));
        if (!adaptiveReordering) {
            reordering.clear();
        }
    }

    public void onParityChanged(@Nullable RecoveredSegments segments) {
        recoveredSegments = segments;
    }

    public int inFlight() {
        return flight.segments();
    }

    /** Returns the number of segments in flight, without those that an interruption of the path has presumably lost. */
    public int pipeSegments() {
        return flight.segments() - stall.presumedLostSegments();
    }

    /** Returns the size of the segments of {@link #pipeSegments} with their headers. */
    public long pipeBytes() {
        return flight.bytes() - stall.presumedLostBytes();
    }

    public FlightStall stall() {
        return stall;
    }

    /** Returns {@code true} once for each retransmission timeout in which the path appeared to be interrupted. */
    public boolean takeInterruption() {
        boolean noted = interruptionNoted;
        interruptionNoted = false;
        return noted;
    }

    public long nextOrder() {
        return nextOrder;
    }

    public long highestAckedOrder() {
        return highestAcked[0];
    }

    /** Returns {@code true} if enough later transmissions were acknowledged for a fast retransmission of the segment. */
    public boolean isOvertaken(Segment segment) {
        return segment.order < highestAcked[highestAcked.length - 1];
    }

    public boolean isReordering() {
        return reordering.isReordering();
    }

    public long segmentsVisited() {
        return segmentsVisited;
    }

    public void onTransmitted(Segment segment, int timeMs) {
        if (flight.segments() == 0) {
            // Progress made before an idle period is irrelevant. After 25 days, the wrapped clock would even place that progress in the
            // future.
            progressSeen = false;
        }
        segment.order = nextOrder++;
        segment.sentAtMs = timeMs;
        flight.add(segment);
    }

    /** Removes a segment that was acknowledged or is considered lost from the segments in flight. */
    public void remove(Segment segment) {
        flight.remove(segment);
        stall.onRemoved(segment.order, FlightLists.bytes(segment));
    }

    /** Records that {@code una} has acknowledged the first transmission of a segment. */
    public void onPassed(Segment segment, int timeMs) {
        stall.onArrived(segment.order, timeMs);
    }

    /**
     * Records that one transmission of a segment was acknowledged.
     *
     * @param segment   the segment, not yet recycled
     * @param sentAtMs  the time of the acknowledged transmission
     * @param timeMs    now
     */
    public void onAcknowledged(Segment segment, int sentAtMs, int timeMs) {
        int roundTripMs = timeMs - sentAtMs;
        // A segment that parity has probably recovered is acknowledged after a later one, and its delay is not a round-trip sample.
        boolean recovered = recoveredSegments != null && !recoveredSegments.isReordering() && segment.order < highestAcked[0];
        if (!recovered) {
            reordering.onRoundTrip(roundTripMs, timeMs, rtt.smoothedRttMs());
        }
        if (adaptiveReordering && !segment.isCopyEcho(sentAtMs)) {
            learn(segment, sentAtMs);
        }
        onUntimedAck(segment, sentAtMs, timeMs);
    }

    /**
     * Records that one transmission of a segment was acknowledged by an ACK that was repeated or recovered, so that its delay says nothing
     * about the path. The parameters are those of {@link #onAcknowledged}.
     */
    public void onUntimedAck(Segment segment, int sentAtMs, int timeMs) {
        if (segment.sentAtMs == sentAtMs) {
            note(segment.order, timeMs);
            stall.onArrived(segment.order, timeMs);
        } else if (!segment.isCopyEcho(sentAtMs)) {
            // The order of an earlier transmission is unknown. A stall may have delayed that transmission.
            stall.onArrived(0, timeMs);
        }
    }

    /** Records that a segment has arrived late, after FEC parity had recovered it. */
    public void onLateArrival(int roundTripMs, int timeMs) {
        reordering.onRoundTrip(roundTripMs, timeMs, rtt.smoothedRttMs());
    }

    /**
     * Records that the latest transmission of a segment was acknowledged after {@code una} had passed the segment.
     *
     * @param order       the order of the transmission
     * @param roundTripMs the time since the transmission
     * @param timeMs      now
     */
    public void onPassedAcknowledged(long order, int roundTripMs, int timeMs) {
        reordering.onRoundTrip(roundTripMs, timeMs, rtt.smoothedRttMs());
        note(order, timeMs);
    }

    /** Determines if the acknowledgement of a segment shows that a skipped transmission was late rather than lost. */
    private void learn(Segment segment, int sentAtMs) {
        boolean late;
        if (segment.sentAtMs != sentAtMs) {
            late = true;
        } else if (segment.transmissions > 1) {
            late = false;
        } else if (isOvertaken(segment)) {
            late = true;
        } else {
            return;
        }
        reordering.onSkipped(late);
    }

    /**
     * Records that segments were acknowledged. The acknowledgements show that the path works, so segments sent earlier need no backoff.
     *
     * @param acknowledged the number of segments, at least 1
     */
    public void onProgress(int acknowledged, int timeMs) {
        rounds.onAcknowledged(acknowledged);
        progressAtMs = timeMs;
        progressSeen = true;
        probing = false;
        stall.end();
    }

    /**
     * Forgets the round-trip times and the reordering of the path, because the path has changed. Segments in flight no longer count as in
     * flight for congestion control.
     */
    public void onPathChanged() {
        reordering.onPathChanged(nextOrder);
        probing = false;
        stall.reset();
        stall.presumeLost(nextOrder, flight.segments(), flight.bytes());
    }

    /**
     * Starts a round in which no segment times out until acknowledgements arrive. To be called when the caller retransmits segments
     * itself.
     */
    public void useUpTimeouts(int timeMs) {
        rounds.useUp(timeMs);
    }

    private void note(long order, int timeMs) {
        if (order > highestAcked[0]) {
            skipNotedAtMs = timeMs;
            reordering.onHighestAcked(order, nextOrder);
        }
        long moved = order;
        for (int rank = 0; rank < highestAcked.length; rank++) {
            long higher = Math.max(highestAcked[rank], moved);
            moved = Math.min(highestAcked[rank], moved);
            highestAcked[rank] = higher;
        }
    }

    /**
     * Sets whether no segment times out, because acknowledgements may have arrived that were not processed yet. {@link TimeoutSuspension}
     * limits the time.
     */
    public void suspendTimeouts(boolean suspended, int timeMs) {
        suspension.request(suspended && flight.segments() > 0, timeMs);
    }

    /**
     * Detects lost segments, moves them to the given list, and sets the cause of each loss.
     *
     * @param blocking   the segment in flight that blocks {@code una}, or null if that segment is not in flight
     * @param nothingNew {@code true} if this flush has no new segment to send, for {@link EarlyRetransmit#FIRST_SKIP}
     * @return the number of moved segments
     */
    public int detect(SegmentList lost, @Nullable Segment blocking, int timeMs, boolean nothingNew) {
        int before = lost.size();
        boolean suspended = suspension.isActive(timeMs);
        if (!suspended && rounds.beginIfOver(timeMs, rtt.rtoMs()) && stall.isActive()) {
            rounds.setLeft(stall.nextRound(flight.segments()));
            stall.onUnacknowledgedRound(nextOrder, flight.segments(), flight.bytes());
            interruptionNoted = true;
        }
        // If a round permits fewer timeouts than segments in flight, segments with the most timeouts are checked first. The segment that
        // blocks una precedes all of them: a fast retransmission resets its timeouts, and other segments could then use up every round.
        // It may also time out while the first acknowledgement is awaited, because without it the peer may be unable to open a session.
        boolean oldestFirst = rounds.left() < flight.segments();
        if ((oldestFirst || probing) && blocking != null && blocking.list != null) {
            segmentsVisited++;
            RetransmitReason reason = reasonOf(blocking, flight.indexOf(blocking.list, blocking), timeMs, nothingNew, suspended);
            if (reason != null) {
                moveTo(lost, blocking, reason, timeMs);
            }
        }
        for (long bits = flight.occupied(); bits != 0;) {
            int index = oldestFirst ? Long.SIZE - 1 - Long.numberOfLeadingZeros(bits) : Long.numberOfTrailingZeros(bits);
            bits &= ~(1L << index);
            SegmentList list = flight.at(index);
            for (Segment segment = list.first(); segment != null; segment = list.first()) {
                segmentsVisited++;
                boolean held = suspended || probing && probingUntilMs - timeMs > 0;
                RetransmitReason reason = reasonOf(segment, index, timeMs, nothingNew, held);
                if (reason == null) {
                    break;
                }
                moveTo(lost, segment, reason, timeMs);
            }
        }
        if (!suspended) {
            suspension.onChecked(timeMs);
        }
        return lost.size() - before;
    }

    private void moveTo(SegmentList lost, Segment segment, RetransmitReason reason, int timeMs) {
        remove(segment);
        segment.retransmitReason = reason;
        if (reason == RetransmitReason.TIMEOUT) {
            if (!stall.isActive() && isAcknowledgementOverdue(segment)) {
                stall.begin(nextOrder);
                rounds.restart(timeMs, stall.nextRound(flight.segments() + 1));
            }
            rounds.onTimeout();
            if (adaptiveReordering && !rtt.isSampled()) {
                probing = true;
                probingUntilMs = timeMs + rtt.rtoMs();
            }
            segment.timeouts++;
            segment.fastResends = 0;
        } else {
            segment.timeouts = 0;
            segment.fastResends++;
        }
        lost.addLast(segment);
    }

    /**
     * Returns why a segment is considered lost, or null if it is not.
     *
     * @param waits {@code true} if the segment does not time out now
     */
    private @Nullable RetransmitReason reasonOf(Segment segment, int index, int timeMs, boolean nothingNew, boolean waits) {
        int elapsedMs = timeMs - segment.sentAtMs;
        if (index < FlightLists.TIMEOUT_ONLY && segment.order < highestAcked[0]) {
            if (isSkippedOften(segment) && elapsedMs >= fastAfterMs()) {
                return RetransmitReason.FAST;
            }
            switch (earlyRetransmit) {
                case AFTER_REORDER_WINDOW:
                    if (elapsedMs >= earlyAfterMs()) {
                        return RetransmitReason.EARLY;
                    }
                    break;
                case FIRST_SKIP:
                    if (nothingNew) {
                        return RetransmitReason.EARLY;
                    }
                    break;
                default:
                    break;
            }
        }
        boolean expired = !waits && rounds.left() > 0 && timeMs - stall.timerStartMs(segment) >= timeoutMs(segment, index);
        return expired ? RetransmitReason.TIMEOUT : null;
    }

    /**
     * Returns {@code true} if no segment has been acknowledged since the acknowledgement of this segment was due. Otherwise, the path still
     * delivers other segments.
     */
    private boolean isAcknowledgementOverdue(Segment segment) {
        int srttMs = rtt.smoothedRttMs();
        return !progressSeen || progressAtMs - segment.sentAtMs <= srttMs + (srttMs >> 4) + 1;
    }

    /** Returns the milliseconds until a segment may be considered lost, or {@code NO_DEADLINE} if no segment is in flight. */
    public int msUntilNextLoss(int timeMs, boolean nothingNew) {
        int wait = ProtocolConstants.NO_DEADLINE;
        boolean suspended = suspension.isActive(timeMs);
        for (long bits = flight.occupied(); bits != 0; bits &= bits - 1) {
            int index = Long.numberOfTrailingZeros(bits);
            Segment segment = flight.at(index).first();
            assert segment != null;
            segmentsVisited++;
            int elapsedMs = timeMs - segment.sentAtMs;
            int timeoutInMs = timeoutMs(segment, index) - (timeMs - stall.timerStartMs(segment));
            if (rounds.left() == 0) {
                timeoutInMs = Math.max(timeoutInMs, rounds.endMs(rtt.rtoMs()) - timeMs);
            }
            if (suspended) {
                timeoutInMs = Math.max(timeoutInMs, SUSPENDED_MS);
            }
            wait = Math.min(wait, probing ? Math.max(timeoutInMs, probingUntilMs - timeMs) : timeoutInMs);
            if (index < FlightLists.TIMEOUT_ONLY && segment.order < highestAcked[0]) {
                if (isSkippedOften(segment)) {
                    wait = Math.min(wait, fastAfterMs() - elapsedMs);
                }
                if (earlyRetransmit == EarlyRetransmit.AFTER_REORDER_WINDOW) {
                    wait = Math.min(wait, earlyAfterMs() - elapsedMs);
                } else if (earlyRetransmit == EarlyRetransmit.FIRST_SKIP && nothingNew) {
                    // If fastResend is 0, kcp-go retransmits a skipped segment immediately, otherwise at the next periodic flush.
                    wait = Math.min(wait, fastResend == 0 ? 0 : intervalMs - (timeMs - skipNotedAtMs));
                }
            }
        }
        return Math.max(wait, 0);
    }

    private boolean isSkippedOften(Segment segment) {
        return fastResend > 0 && segment.order < highestAcked[fastResend - 1];
    }

    private int fastAfterMs() {
        return adaptiveReordering ? reordering.waitMs(rtt.smoothedRttMs()) : 0;
    }

    private int earlyAfterMs() {
        int srttMs = rtt.smoothedRttMs();
        return Math.max(fastAfterMs(), srttMs + Math.max(srttMs >> 2, 1));
    }

    /**
     * Returns the timeout of a segment. The first copy of the segment restarts the timeout, but extends it by at most half of the
     * retransmission timeout. Without this extension, the acknowledgement of the copy would arrive just after a spurious retransmission.
     */
    private int timeoutMs(Segment segment, int index) {
        int timeoutMs = backedOffMs(segment, index);
        return segment.copies == 0 ? timeoutMs : timeoutMs + Math.min(segment.msUntilFirstCopy(), rtt.rtoMs() >> 1);
    }

    private int backedOffMs(Segment segment, int index) {
        int steps = FlightLists.backoffSteps(index);
        int rtoMs = rtt.rtoMs();
        int slowestMs = reordering.slowestMs();
        if (adaptiveReordering && slowestMs > 0) {
            int patientMs = slowestMs + Math.max(intervalMs, slowestMs >> 3);
            rtoMs = Math.max(rtoMs, Math.min(patientMs, ProtocolConstants.MAX_RTO_MS));
        }
        if (steps == 0 || progressSeen && progressAtMs - segment.sentAtMs > 0) {
            return rtoMs;
        }
        int stepMs = noDelay ? rtoMs >> 1 : rtoMs;
        int timeoutMs = rtoMs + steps * stepMs;
        return backoffLimitMs == 0 ? timeoutMs
            : Math.min(timeoutMs, Math.max(rtoMs, Math.max(backoffLimitMs, rtt.smoothedRttMs() << 1)));
    }

    /**
     * Returns the oldest of the segments with the longest backoff, or null if no segment is backed off. When the peer is active again, this
     * segment gains most from an immediate retransmission, because its timeout is the furthest away.
     */
    public @Nullable Segment oldestBackedOff() {
        return flight.oldestBackedOff();
    }
}
