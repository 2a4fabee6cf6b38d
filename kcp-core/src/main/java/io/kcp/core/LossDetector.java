package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * Decides which segments in flight are lost, looking only at those that are: segments lie in the order of their latest
 * transmission, one list per step of the timeout's back-off, so that whatever is overdue or was skipped stands at the
 * head of a list.
 *
 * <p>Skips are counted as KCP does (an acknowledgement of a later transmission skips every earlier one), without a
 * counter per segment: a segment was skipped {@code k} times exactly if the {@code k}-th highest acknowledged place in
 * the transmission order lies behind its own. Reordering is learned in the spirit of RACK (RFC 8985): an acknowledgement
 * that comes late shows how long to wait before a skip, or silence, means a loss.
 */
final class LossDetector {

    private static final int BACKOFF_STEPS = 32;
    /** Lists from here on hold segments that only a timeout may send again: their fast retransmissions are used up. */
    private static final int TIMEOUT_ONLY = BACKOFF_STEPS;
    private static final int ALL = 256;
    /** Round trips in which nothing is known of reordering yet, so that a skip alone does not mean a loss. */
    private static final int LEARNING_ROUNDS = 3;
    /** Timeouts allowed in one round, which lasts one retransmission timeout. */
    static final int TIMEOUTS_PER_ROUND = 64;
    /**
     * Timeouts allowed for each segment acknowledged once a round was too short: retransmissions double with each round trip,
     * as in slow start. Segments acknowledged before that allow none, otherwise a stall after them would time out whole.
     */
    private static final int TIMEOUTS_PER_ACKNOWLEDGED = 2;
    private static final int MAX_TIMEOUTS = 1 << 20;

    private final RttEstimator rtt;
    private final SegmentList fresh = new SegmentList();
    private @Nullable SegmentList @Nullable [] backedOff;
    /** Bit n is set when list n holds something; list 0 is {@link #fresh}. */
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
    /** How many of the latest suspects were only late, of {@link #ALL}; the others were lost. */
    private int lateShare;
    private boolean anySuspect;
    private long roundEndOrder;
    private int rounds;
    private int progressAtMs;
    private boolean progressSeen;
    /** Until when no further segment times out: what was sent last is to find out the round trip first. */
    private int probingUntilMs;
    private boolean probing;
    /** How many segments may still time out in this round. */
    private int timeoutsLeft = TIMEOUTS_PER_ROUND;
    private int timeoutRoundAtMs;
    /** Whether this round and the one before allowed fewer timeouts than there were. */
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
            // Progress before this says nothing, and after 25 days it would look like progress to come.
            progressSeen = false;
        }
        segment.order = nextOrder++;
        segment.sentAtMs = timeMs;
        int index = listIndex(segment);
        listAt(index).addLast(segment);
        occupied |= 1L << index;
        inFlight++;
    }

    /** Takes a segment out that is in flight: it was acknowledged, or goes to the lost ones. */
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
     * Notes that one transmission of a segment arrived.
     *
     * @param segment   the segment, not yet recycled
     * @param sentAtMs  when the transmission that was acknowledged left
     * @param timeMs    now
     */
    void onAcknowledged(Segment segment, int sentAtMs, int timeMs) {
        int roundTripMs = timeMs - sentAtMs;
        // Who was overtaken was made of parity, and waited for that.
        boolean repaired = parityFollows && segment.order < highestAcked[0];
        if (roundTripMs <= RttEstimator.MAX_RTO_MS && !repaired) {
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
     * Learns what became of a suspect. Where most were lost, waiting would only delay their repetition; where most were
     * late, repeating at once would only waste.
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
        lateShare = anySuspect ? lateShare + (outcome - lateShare >> 3) : outcome;
        anySuspect = true;
    }

    /**
     * Notes that segments were acknowledged: the path works, so segments sent before need not back off.
     *
     * @param acknowledged how many, at least 1
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
     * Moves every segment that counts as lost to {@code lost}, with its cause.
     *
     * @param nothingNew whether this flush has no new segment to send ({@link EarlyRetransmit#FIRST_SKIP} asks)
     * @return how many were moved
     */
    int detect(SegmentList lost, int timeMs, boolean nothingNew) {
        int before = lost.size();
        if (timeMs - timeoutRoundAtMs >= rtt.rtoMs() || timeMs - timeoutRoundAtMs < 0) {
            timeoutRoundAtMs = timeMs;
            timeoutsLeft = TIMEOUTS_PER_ROUND;
            timeoutsUsedUpBefore = timeoutsUsedUp;
            timeoutsUsedUp = false;
        }
        // Where not all may time out, segments that timed out before come first: the oldest one blocks una.
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

    /** Returns milliseconds until the next segment may count as lost, {@link Kcp#NO_DEADLINE} when none is in flight. */
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
                    // kcp-go repeats within its input if no number of skips is asked for, else at its next tick.
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
            // The first flight is large, fills a queue, and everything about the path is new: a wrong guess costs most there.
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

    /** The limit may have changed since the segment was put there, so the list itself decides when they disagree. */
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
