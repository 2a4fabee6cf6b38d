package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * Detects lost segments without visiting the others. Segments in flight are in lists in the order of their latest transmission, one
 * list for each step of the timeout's back-off, so a segment that timed out or was skipped is at the head of a list.
 *
 * <p>As in KCP, an acknowledgement of a later transmission skips every earlier one. No counter per segment is needed: a segment was
 * skipped {@code k} times if the {@code k}-th highest acknowledged transmission is later than its own. Reordering is measured as
 * in RACK (RFC 8985): a late acknowledgement shows how long to wait before a skipped or unacknowledged segment counts as lost.
 */
final class LossDetector {

    private static final int BACKOFF_STEPS = 32;
    /** Index of the first list of segments that only a timeout retransmits, because their fast retransmissions are used up. */
    private static final int TIMEOUT_ONLY = BACKOFF_STEPS;
    /** The value of {@link #lateShare} that stands for all segments. */
    private static final int ALL = 256;
    /** Round trips before the reordering of the path is known. Until then a skipped segment does not count as lost at once. */
    private static final int LEARNING_ROUNDS = 3;
    /** Timeouts allowed in one round. A round lasts one retransmission timeout. */
    static final int TIMEOUTS_PER_ROUND = 64;
    /**
     * Additional timeouts for each acknowledged segment after a round had more timeouts than allowed. Retransmissions then double with
     * each round trip, as in slow start. Earlier acknowledgements allow none, otherwise all segments of a stall would time out at once.
     */
    private static final int TIMEOUTS_PER_ACKNOWLEDGED = 2;
    private static final int MAX_TIMEOUTS = 1 << 20;

    private final RttEstimator rtt;
    private final SegmentList fresh = new SegmentList();
    private @Nullable SegmentList @Nullable [] backedOff;
    /** Bit n is set while list n is not empty; list 0 is {@link #fresh}. */
    private long occupied;
    private int inFlight;
    private long nextOrder = 1;
    private long[] highestAcked = new long[1];
    private int skipNotedAtMs;
    // Settings, see KcpConfig.
    private boolean parityFollows;
    private int fastResend;
    private int fastResendLimit;
    private EarlyRetransmit earlyRetransmit = EarlyRetransmit.OFF;
    private boolean adaptiveReordering;
    private boolean noDelay;
    private int intervalMs;
    private int backoffLimitMs;

    private final SlowestRoundTrip slowest = new SlowestRoundTrip();
    /** Share of the latest skipped segments that were late and not lost, from 0 to {@link #ALL}. */
    private int lateShare;
    private boolean anySkipped;
    private long roundEndOrder;
    private int rounds;
    private int progressAtMs;
    private boolean progressSeen;
    /** No segment times out before this time, because the latest transmission has to measure the round trip first. */
    private int probingUntilMs;
    private boolean probing;
    /** Timeouts that are still allowed in this round. */
    private int timeoutsLeft = TIMEOUTS_PER_ROUND;
    private int timeoutRoundAtMs;
    /** {@code true} if this round, or the one before, had as many timeouts as allowed. */
    private boolean timeoutsUsedUp;
    private boolean timeoutsUsedUpBefore;
    private long segmentsVisited;

    LossDetector(RttEstimator rtt) {
        this.rtt = rtt;
    }

    void reconfigure(KcpConfig config, boolean parityFollows) {
        this.parityFollows = parityFollows;
        fastResend = config.fastResend();
        fastResendLimit = config.fastResendLimit();
        earlyRetransmit = config.earlyRetransmit();
        adaptiveReordering = config.adaptiveReordering();
        noDelay = config.noDelay();
        intervalMs = config.intervalMs();
        backoffLimitMs = config.backoffLimitMs();
        int depth = Math.max(1, fastResend);
        if (depth != highestAcked.length) {
            long[] resized = new long[depth];
            System.arraycopy(highestAcked, 0, resized, 0, Math.min(depth, highestAcked.length));
            highestAcked = resized;
        }
        if (!adaptiveReordering) {
            lateShare = 0;
        }
    }

    int inFlight() {
        return inFlight;
    }

    long nextOrder() {
        return nextOrder;
    }

    long highestAckedOrder() {
        return highestAcked[0];
    }

    boolean isReordering() {
        return lateShare > ALL / 2;
    }

    long segmentsVisited() {
        return segmentsVisited;
    }

    void onTransmitted(Segment segment, int timeMs) {
        if (inFlight == 0) {
            // Progress of an earlier flight is irrelevant, and after 25 days its time would seem to be in the future.
            progressSeen = false;
        }
        segment.order = nextOrder++;
        segment.sentAtMs = timeMs;
        int index = listIndex(segment);
        listAt(index).addLast(segment);
        occupied |= 1L << index;
        inFlight++;
    }

    /** Removes a segment in flight, because it was acknowledged or is lost. */
    void remove(Segment segment) {
        SegmentList list = segment.list;
        assert list != null;
        list.remove(segment);
        if (list.isEmpty()) {
            occupied &= ~(1L << listIndexOf(list, segment));
        }
        inFlight--;
    }

    /**
     * Notes that one transmission of a segment was acknowledged.
     *
     * @param segment   the segment, not yet recycled
     * @param sentAtMs  the time of the acknowledged transmission
     * @param timeMs    now
     */
    void onAcknowledged(Segment segment, int sentAtMs, int timeMs) {
        int roundTripMs = timeMs - sentAtMs;
        // A segment acknowledged after a later one was recovered by FEC. Its delay is not a round-trip sample.
        boolean recovered = parityFollows && segment.order < highestAcked[0];
        if (roundTripMs <= RttEstimator.MAX_RTO_MS && !recovered) {
            slowest.onSample(roundTripMs, timeMs, rtt.smoothedRttMs());
        }
        if (adaptiveReordering) {
            learn(segment, sentAtMs);
        }
        if (segment.sentAtMs == sentAtMs) {
            note(segment.order, timeMs);
        }
    }

    /**
     * Measures whether a skipped segment was late or lost. If most skipped segments are lost, they are retransmitted at once; if most
     * are late, they are not, because their retransmissions would be spurious.
     */
    private void learn(Segment segment, int sentAtMs) {
        boolean late;
        if (segment.sentAtMs != sentAtMs) {
            late = true;
        } else if (segment.transmissions > 1) {
            late = false;
        } else if (segment.order < highestAcked[highestAcked.length - 1]) {
            late = true;
        } else {
            return;
        }
        int outcome = late ? ALL : 0;
        lateShare = anySkipped ? lateShare + (outcome - lateShare >> 3) : outcome;
        anySkipped = true;
    }

    /**
     * Notes that segments were acknowledged. The path works, so segments that were sent before need no back-off.
     *
     * @param acknowledged the number of segments, at least 1
     */
    void onProgress(int acknowledged, int timeMs) {
        if (timeoutsUsedUp || timeoutsUsedUpBefore) {
            timeoutsLeft = Math.min(MAX_TIMEOUTS, timeoutsLeft + TIMEOUTS_PER_ACKNOWLEDGED * acknowledged);
        }
        progressAtMs = timeMs;
        progressSeen = true;
        probing = false;
    }

    private void note(long order, int timeMs) {
        if (order > highestAcked[0]) {
            skipNotedAtMs = timeMs;
            if (order >= roundEndOrder) {
                roundEndOrder = nextOrder;
                rounds++;
            }
        }
        int last = highestAcked.length - 1;
        if (order <= highestAcked[last]) {
            return;
        }
        int index = last;
        while (index > 0 && highestAcked[index - 1] < order) {
            highestAcked[index] = highestAcked[index - 1];
            index--;
        }
        highestAcked[index] = order;
    }

    /**
     * Moves every lost segment to {@code lost}, with the cause of its loss.
     *
     * @param nothingNew {@code true} if this flush has no new segment to send, for {@link EarlyRetransmit#FIRST_SKIP}
     * @return the number of moved segments
     */
    int detect(SegmentList lost, int timeMs, boolean nothingNew) {
        int before = lost.size();
        if (timeMs - timeoutRoundAtMs >= rtt.rtoMs() || timeMs - timeoutRoundAtMs < 0) {
            timeoutRoundAtMs = timeMs;
            timeoutsLeft = TIMEOUTS_PER_ROUND;
            timeoutsUsedUpBefore = timeoutsUsedUp;
            timeoutsUsedUp = false;
        }
        // If not all segments may time out, those that timed out before come first, because the oldest one blocks una.
        boolean oldestFirst = timeoutsLeft < inFlight;
        for (long bits = occupied; bits != 0;) {
            int index = oldestFirst ? Long.SIZE - 1 - Long.numberOfLeadingZeros(bits) : Long.numberOfTrailingZeros(bits);
            bits &= ~(1L << index);
            SegmentList list = listAt(index);
            for (Segment segment = list.first(); segment != null; segment = list.first()) {
                segmentsVisited++;
                LossCause cause = causeOfLoss(segment, index, timeMs, nothingNew);
                if (cause == null) {
                    break;
                }
                remove(segment);
                segment.lossCause = cause;
                if (cause == LossCause.TIMEOUT) {
                    timeoutsLeft--;
                    timeoutsUsedUp |= timeoutsLeft == 0;
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
        }
        return lost.size() - before;
    }

    private @Nullable LossCause causeOfLoss(Segment segment, int index, int timeMs, boolean nothingNew) {
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
        return elapsedMs >= timeoutMs(segment, index) && timeoutsLeft > 0 && !(probing && probingUntilMs - timeMs > 0)
            ? LossCause.TIMEOUT : null;
    }

    /** Returns milliseconds until the next segment may count as lost, {@link Kcp#NO_DEADLINE} if none is in flight. */
    int msUntilNextLoss(int timeMs, boolean nothingNew) {
        int wait = Kcp.NO_DEADLINE;
        for (long bits = occupied; bits != 0; bits &= bits - 1) {
            int index = Long.numberOfTrailingZeros(bits);
            Segment segment = listAt(index).first();
            assert segment != null;
            segmentsVisited++;
            int elapsedMs = timeMs - segment.sentAtMs;
            int timeoutInMs = timeoutMs(segment, index) - elapsedMs;
            if (timeoutsLeft == 0) {
                timeoutInMs = Math.max(timeoutInMs, timeoutRoundAtMs + rtt.rtoMs() - timeMs);
            }
            wait = Math.min(wait, probing ? Math.max(timeoutInMs, probingUntilMs - timeMs) : timeoutInMs);
            if (index < TIMEOUT_ONLY && segment.order < highestAcked[0]) {
                if (isSkippedOften(segment)) {
                    wait = Math.min(wait, fastAfterMs() - elapsedMs);
                }
                if (earlyRetransmit == EarlyRetransmit.AFTER_REORDER_WINDOW) {
                    wait = Math.min(wait, earlyAfterMs() - elapsedMs);
                } else if (earlyRetransmit == EarlyRetransmit.FIRST_SKIP && nothingNew) {
                    // kcp-go retransmits while it processes the input if fastResend is 0, otherwise at its next tick.
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
        if (!adaptiveReordering) {
            return 0;
        }
        int afterMs = isReordering() ? slowest.ms() + (slowest.ms() >> 4) + 1 : 0;
        if (rounds < LEARNING_ROUNDS) {
            // The first flight is large and fills queues on an unknown path, so spurious retransmissions cost most there.
            int srttMs = rtt.smoothedRttMs();
            afterMs = Math.max(afterMs, srttMs + (rounds <= 1 ? srttMs : srttMs >> 2));
        }
        return afterMs;
    }

    private int earlyAfterMs() {
        int srttMs = rtt.smoothedRttMs();
        return Math.max(fastAfterMs(), srttMs + Math.max(srttMs >> 2, 1));
    }

    private int timeoutMs(Segment segment, int index) {
        int steps = index & BACKOFF_STEPS - 1;
        int rtoMs = rtt.rtoMs();
        if (adaptiveReordering && slowest.ms() > 0) {
            int patientMs = slowest.ms() + Math.max(intervalMs, slowest.ms() >> 3);
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
     * Returns the first segment of the longest back-off. Its timeout is the furthest away, so it gains most from being retransmitted at
     * once when the peer is active again.
     *
     * @return null if no segment is backed off
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

    /** Returns the index of a segment's list. Where the setting has changed since the segment was added, the list itself decides. */
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
