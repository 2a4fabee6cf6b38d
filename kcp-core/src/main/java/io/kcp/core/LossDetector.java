package io.kcp.core;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Detects lost segments without visiting all segments in flight. Segments in flight are stored in one list for each backoff step, in the
 * order of their latest transmission, so the segments that were skipped or time out next are at the heads of the lists.
 *
 * <p>As in KCP, the acknowledgement of a transmission skips every earlier transmission. This needs no counter per segment, because a
 * segment was skipped {@code k} times if the {@code k}-th highest acknowledged transmission is later than its own. Reordering is measured
 * as in RACK (RFC 8985): a late acknowledgement shows how long to wait before a skipped or unacknowledged segment is considered lost.
 */
final class LossDetector {

    private static final int BACKOFF_STEPS = 32;
    /** Index of the first list of segments that have used up their fast retransmissions and are retransmitted only after a timeout. */
    private static final int TIMEOUT_ONLY = BACKOFF_STEPS;
    /** Time in milliseconds after which suspended timeouts are checked again. */
    private static final int SUSPENDED_MS = 10;

    private final RttEstimator rtt;
    private final SegmentList fresh = new SegmentList();
    private @Nullable SegmentList @Nullable [] backedOff;
    /** Bit mask of the segment lists that are not empty. Bit 0 stands for {@link #fresh}, bit n for list n. */
    private long occupied;
    private int inFlight;
    private long inFlightBytes;
    private long nextOrder = 1;
    /** The highest orders among the acknowledged transmissions, in descending order. */
    private long[] highestAcked = new long[1];
    private int skipNotedAtMs;
    // Settings, see KcpConfig.
    private @Nullable RecoveredSegments recoveredSegments; // null if no parity is sent
    private int fastResend;
    private int fastResendLimit;
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

    LossDetector(RttEstimator rtt) {
        this.rtt = rtt;
    }

    void reconfigure(KcpConfig config) {
        fastResend = config.fastResend();
        fastResendLimit = config.fastResendLimit();
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

    void onParityChanged(@Nullable RecoveredSegments segments) {
        recoveredSegments = segments;
    }

    int inFlight() {
        return inFlight;
    }

    /** Returns the number of segments in flight, without those that an interruption of the path has presumably lost. */
    int pipeSegments() {
        return inFlight - stall.presumedLostSegments();
    }

    /** Returns the size of the segments of {@link #pipeSegments} with their headers. */
    long pipeBytes() {
        return inFlightBytes - stall.presumedLostBytes();
    }

    FlightStall stall() {
        return stall;
    }

    /** Returns {@code true} once for each retransmission timeout in which the path appeared to be interrupted. */
    boolean takeInterruption() {
        boolean noted = interruptionNoted;
        interruptionNoted = false;
        return noted;
    }

    long nextOrder() {
        return nextOrder;
    }

    long highestAckedOrder() {
        return highestAcked[0];
    }

    /** Returns {@code true} if enough later transmissions were acknowledged for a fast retransmission of the segment. */
    boolean isOvertaken(Segment segment) {
        return segment.order < highestAcked[highestAcked.length - 1];
    }

    boolean isReordering() {
        return reordering.isReordering();
    }

    long segmentsVisited() {
        return segmentsVisited;
    }

    void onTransmitted(Segment segment, int timeMs) {
        if (inFlight == 0) {
            // Progress made before an idle period is irrelevant. After 25 days, the wrapped clock would even place that progress in the
            // future.
            progressSeen = false;
        }
        segment.order = nextOrder++;
        segment.sentAtMs = timeMs;
        int index = listIndex(segment);
        listAt(index).addLast(segment);
        occupied |= 1L << index;
        inFlight++;
        inFlightBytes += SegmentHeader.LENGTH + segment.payloadBytes;
    }

    /** Removes a segment that was acknowledged or is considered lost from the segments in flight. */
    void remove(Segment segment) {
        SegmentList list = segment.list;
        assert list != null;
        list.remove(segment);
        if (list.isEmpty()) {
            occupied &= ~(1L << listIndexOf(list, segment));
        }
        inFlight--;
        int bytes = SegmentHeader.LENGTH + segment.payloadBytes;
        inFlightBytes -= bytes;
        stall.onRemoved(segment.order, bytes);
    }

    /** Records that {@code una} has acknowledged the first transmission of a segment. */
    void onPassed(Segment segment, int timeMs) {
        stall.onArrived(segment.order, timeMs);
    }

    /**
     * Records that one transmission of a segment was acknowledged.
     *
     * @param segment   the segment, not yet recycled
     * @param sentAtMs  the time of the acknowledged transmission
     * @param timeMs    now
     */
    void onAcknowledged(Segment segment, int sentAtMs, int timeMs) {
        int roundTripMs = timeMs - sentAtMs;
        // A segment that parity has probably recovered is acknowledged after a later one, and its delay is not a round-trip sample.
        boolean recovered = recoveredSegments != null && !recoveredSegments.isReordering() && segment.order < highestAcked[0];
        if (!recovered) {
            reordering.onRoundTrip(roundTripMs, timeMs, rtt.smoothedRttMs());
        }
        if (adaptiveReordering && !segment.isCopyEcho(sentAtMs)) {
            learn(segment, sentAtMs);
        }
        onRepeatedAck(segment, sentAtMs, timeMs);
    }

    /**
     * Records that one transmission of a segment was acknowledged by a repeated ACK, whose delay says nothing about the path. The
     * parameters are those of {@link #onAcknowledged}.
     */
    void onRepeatedAck(Segment segment, int sentAtMs, int timeMs) {
        if (segment.sentAtMs == sentAtMs) {
            note(segment.order, timeMs);
            stall.onArrived(segment.order, timeMs);
        } else if (!segment.isCopyEcho(sentAtMs)) {
            // The order of an earlier transmission is unknown. A stall may have delayed that transmission.
            stall.onArrived(0, timeMs);
        }
    }

    /** Records that a segment has arrived late, after FEC parity had recovered it. */
    void onLateArrival(int roundTripMs, int timeMs) {
        reordering.onRoundTrip(roundTripMs, timeMs, rtt.smoothedRttMs());
    }

    /**
     * Records that the latest transmission of a segment was acknowledged after {@code una} had passed the segment.
     *
     * @param order       the order of the transmission
     * @param roundTripMs the time since the transmission
     * @param timeMs      now
     */
    void onPassedAcknowledged(long order, int roundTripMs, int timeMs) {
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
    void onProgress(int acknowledged, int timeMs) {
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
    void onPathChanged() {
        reordering.onPathChanged(nextOrder);
        probing = false;
        stall.reset();
        stall.presumeLost(nextOrder, inFlight, inFlightBytes);
    }

    /**
     * Starts a round in which no segment times out until acknowledgements arrive. To be called when the caller retransmits segments
     * itself.
     */
    void useUpTimeouts(int timeMs) {
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
    void suspendTimeouts(boolean suspended, int timeMs) {
        suspension.request(suspended && inFlight > 0, timeMs);
    }

    /**
     * Detects lost segments, moves them to the given list, and sets the cause of each loss.
     *
     * @param blocking   the segment in flight that blocks {@code una}, or null if that segment is not in flight
     * @param nothingNew {@code true} if this flush has no new segment to send, for {@link EarlyRetransmit#FIRST_SKIP}
     * @return the number of moved segments
     */
    int detect(SegmentList lost, @Nullable Segment blocking, int timeMs, boolean nothingNew) {
        int before = lost.size();
        boolean suspended = suspension.isActive(timeMs);
        if (!suspended && rounds.beginIfOver(timeMs, rtt.rtoMs()) && stall.isActive()) {
            rounds.setLeft(stall.nextRound(inFlight));
            stall.onUnacknowledgedRound(nextOrder, inFlight, inFlightBytes);
            interruptionNoted = true;
        }
        // If a round permits fewer timeouts than segments in flight, segments with the most timeouts are checked first. The segment that
        // blocks una precedes all of them: a fast retransmission resets its timeouts, and other segments could then use up every round.
        // It may also time out while the first acknowledgement is awaited, because without it the peer may be unable to open a session.
        boolean oldestFirst = rounds.left() < inFlight;
        if ((oldestFirst || probing) && blocking != null && blocking.list != null) {
            segmentsVisited++;
            LossCause cause = causeOfLoss(blocking, listIndexOf(blocking.list, blocking), timeMs, nothingNew, suspended);
            if (cause != null) {
                moveTo(lost, blocking, cause, timeMs);
            }
        }
        for (long bits = occupied; bits != 0;) {
            int index = oldestFirst ? Long.SIZE - 1 - Long.numberOfLeadingZeros(bits) : Long.numberOfTrailingZeros(bits);
            bits &= ~(1L << index);
            SegmentList list = listAt(index);
            for (Segment segment = list.first(); segment != null; segment = list.first()) {
                segmentsVisited++;
                LossCause cause = causeOfLoss(segment, index, timeMs, nothingNew, suspended || probing && probingUntilMs - timeMs > 0);
                if (cause == null) {
                    break;
                }
                moveTo(lost, segment, cause, timeMs);
            }
        }
        if (!suspended) {
            suspension.onChecked(timeMs);
        }
        return lost.size() - before;
    }

    private void moveTo(SegmentList lost, Segment segment, LossCause cause, int timeMs) {
        remove(segment);
        segment.lossCause = cause;
        if (cause == LossCause.TIMEOUT) {
            if (!stall.isActive() && isAcknowledgementOverdue(segment)) {
                stall.begin(nextOrder);
                rounds.restart(timeMs, stall.nextRound(inFlight + 1));
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
    private @Nullable LossCause causeOfLoss(Segment segment, int index, int timeMs, boolean nothingNew, boolean waits) {
        int elapsedMs = timeMs - segment.sentAtMs;
        if (index < TIMEOUT_ONLY && segment.order < highestAcked[0]) {
            if (isSkippedOften(segment) && elapsedMs >= fastAfterMs()) {
                return LossCause.FAST;
            }
            switch (earlyRetransmit) {
                case AFTER_REORDER_WINDOW:
                    if (elapsedMs >= earlyAfterMs()) {
                        return LossCause.EARLY;
                    }
                    break;
                case FIRST_SKIP:
                    if (nothingNew) {
                        return LossCause.EARLY;
                    }
                    break;
                default:
                    break;
            }
        }
        return !waits && rounds.left() > 0 && timeMs - stall.timerStartMs(segment) >= timeoutMs(segment, index) ? LossCause.TIMEOUT : null;
    }

    /**
     * Returns {@code true} if no segment has been acknowledged since the acknowledgement of this segment was due. Otherwise, the path still
     * delivers other segments.
     */
    private boolean isAcknowledgementOverdue(Segment segment) {
        int srttMs = rtt.smoothedRttMs();
        return !progressSeen || progressAtMs - segment.sentAtMs <= srttMs + (srttMs >> 4) + 1;
    }

    /** Returns the milliseconds until a segment may be considered lost, or {@link Kcp#NO_DEADLINE} if no segment is in flight. */
    int msUntilNextLoss(int timeMs, boolean nothingNew) {
        int wait = Kcp.NO_DEADLINE;
        boolean suspended = suspension.isActive(timeMs);
        for (long bits = occupied; bits != 0; bits &= bits - 1) {
            int index = Long.numberOfTrailingZeros(bits);
            Segment segment = listAt(index).first();
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
            if (index < TIMEOUT_ONLY && segment.order < highestAcked[0]) {
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
        int steps = index & BACKOFF_STEPS - 1;
        int rtoMs = rtt.rtoMs();
        int slowestMs = reordering.slowestMs();
        if (adaptiveReordering && slowestMs > 0) {
            int patientMs = slowestMs + Math.max(intervalMs, slowestMs >> 3);
            rtoMs = Math.max(rtoMs, Math.min(patientMs, RttEstimator.MAX_RTO_MS));
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
     * Returns the oldest of the segments with the longest backoff. When the peer is active again, this segment gains most from an
     * immediate retransmission, because its timeout is the furthest away.
     *
     * @return the segment, or null if no segment is backed off
     */
    @Nullable Segment oldestBackedOff() {
        long backed = occupied & ~(1L | 1L << TIMEOUT_ONLY);
        if (backed == 0) {
            return null;
        }
        return listAt(63 - Long.numberOfLeadingZeros(backed)).first();
    }

    private int listIndex(Segment segment) {
        int step = Math.min(segment.timeouts, BACKOFF_STEPS - 1);
        return segment.fastResends >= fastResendLimit ? step + TIMEOUT_ONLY : step;
    }

    /**
     * Returns the index of the list that contains a segment. If {@link #fastResendLimit} has changed since the segment was added, the list
     * determines the index.
     */
    private int listIndexOf(SegmentList list, Segment segment) {
        int index = listIndex(segment);
        return listAt(index) == list ? index : index ^ TIMEOUT_ONLY;
    }

    private SegmentList listAt(int index) {
        if (index == 0) {
            return fresh;
        }
        @Nullable SegmentList[] lists = backedOff;
        if (lists == null) {
            lists = new SegmentList[BACKOFF_STEPS << 1];
            backedOff = lists;
        }
        SegmentList list = lists[index];
        if (list == null) {
            list = new SegmentList();
            lists[index] = list;
        }
        return list;
    }
}
