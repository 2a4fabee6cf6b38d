package io.kcp.core.internal.congestion;

/**
 * Implements CUBIC (RFC 9438) with a congestion window in segments. Slow start ends when the round-trip time rises (HyStart, simplified
 * from RFC 9406). Losses reduce the window at most once per round trip, and reductions are undone if all of their losses were spurious.
 * Transmissions are paced over the round trip, so that they do not overflow a short queue on the path.
 */
public final class CubicCongestionControl implements CongestionControl {

    private static final double BETA = 0.7;
    private static final double GROWTH = 0.4;
    /** Additive increase factor of the Reno-friendly region in RFC 9438: 3 (1 - beta) / (1 + beta). */
    private static final double RENO_GROWTH = 3 * (1 - BETA) / (1 + BETA);
    private static final int INITIAL_WINDOW = 10;
    private static final int MIN_WINDOW = 4;
    private static final int BURST_SEGMENTS = 8;
    private static final int BURST_MS = 2;
    private static final int DELAY_SAMPLES = 8;
    /**
     * Number of round trips after which losses end slow start. Before that, the reordering on the path is unknown, so many of these
     * segments may be late rather than lost. Only segments that time out again end slow start sooner.
     */
    private static final int LEARNING_ROUNDS = 3;
    private static final int MS_PER_S = 1_000;

    private final CubicSnapshot state = new CubicSnapshot(INITIAL_WINDOW);
    /** The state before the first reduction of the episode. */
    private final CubicSnapshot stateBeforeEpisode = new CubicSnapshot(INITIAL_WINDOW);
    private double windowBeforeInterruption;
    /** {@code true} after a flush has filled the window, until the segments that were then in flight have been acknowledged. */
    private boolean windowLimited;
    private long windowLimitedEndOrder;
    private boolean acknowledgedSinceLoss;
    private boolean acknowledgedEver;

    /** {@code true} since {@link #unusedSinceMs} if something other than this window limits what is sent. */
    private boolean unused;
    private int unusedSinceMs;
    /** Number of segments in flight after the latest flush. */
    private int inFlight;

    /** Transmissions with a lower order belong to the round trip of the latest reduction. */
    private long recoveryEndOrder;
    /** {@code true} as long as more segments are in flight than the reduced window permits. */
    private boolean exceedsWindow;
    private final SpuriousLossEpisode episode = new SpuriousLossEpisode();

    private long roundEndOrder;
    private int rounds;
    private int roundMinRttMs = Integer.MAX_VALUE;
    private int previousRoundMinRttMs = Integer.MAX_VALUE;
    private int roundSamples;

    private long bytesPerSecond;
    private long burstBytes;

    /** Creates an algorithm in slow start. */
    public CubicCongestionControl() {
    }

    /** Returns the congestion window in segments, including the fraction that has not reached a segment yet. */
    public double window() {
        return state.window;
    }

    @Override
    public int maxSegmentsInFlight() {
        return (int) state.window;
    }

    @Override
    public long pacingBytesPerSecond() {
        return bytesPerSecond;
    }

    @Override
    public long burstBytes() {
        return burstBytes;
    }

    @Override
    public void onAcknowledged(AckReport report) {
        watchDelay(report);
        if (report.acknowledged > 0) {
            acknowledgedSinceLoss = true;
            windowBeforeInterruption = 0;
            acknowledgedEver = true;
        }
        if (report.acknowledged > 0 && windowLimited) {
            if (state.window < state.threshold) {
                state.window += report.acknowledged;
            } else {
                grow(report);
            }
            windowLimited = report.highestAckedOrder < windowLimitedEndOrder - 1;
        }
        int rttMs = report.smoothedRttMs;
        bytesPerSecond = rttMs < 2 ? 0
            : (long) (state.window * pacingGain(report.highestAckedOrder) * report.fullSegmentBytes * MS_PER_S / rttMs);
        burstBytes = Math.max((long) BURST_SEGMENTS * report.fullSegmentBytes, bytesPerSecond * BURST_MS / MS_PER_S);
    }

    /**
     * Returns the factor by which the pacing rate exceeds one window per round trip. After a loss, the number of segments in flight drops
     * suddenly although the queue is still full. A higher rate would overflow the queue again.
     */
    private double pacingGain(long highestAckedOrder) {
        if (state.window < state.threshold) {
            return 2.0;
        }
        return highestAckedOrder < recoveryEndOrder ? 1.0 : 1.25;
    }

    private void grow(AckReport report) {
        if (!state.inEpoch) {
            state.inEpoch = true;
            state.epochStartMs = report.timeMs;
            state.renoWindow = state.window;
            state.plateau = Math.max(state.plateau, state.window);
            state.secondsToPlateau = Math.cbrt((state.plateau - state.window) / GROWTH);
        }
        long elapsedMs = Integer.toUnsignedLong(report.timeMs - state.epochStartMs);
        double seconds = (elapsedMs + report.smoothedRttMs) / 1000.0 - state.secondsToPlateau;
        double window = state.window;
        double target = Math.min(GROWTH * seconds * seconds * seconds + state.plateau, 1.5 * window);
        state.renoWindow += (state.renoWindow < state.windowBeforeLoss ? RENO_GROWTH : 1) * report.acknowledged / window;
        if (target > window) {
            window += (target - window) / window * report.acknowledged;
        }
        state.window = Math.max(window, state.renoWindow);
    }

    /** Ends slow start if the minimum round-trip time of the current round is clearly above that of the previous round. */
    private void watchDelay(AckReport report) {
        if (report.highestAckedOrder >= roundEndOrder) {
            roundEndOrder = report.nextOrder;
            rounds++;
            previousRoundMinRttMs = roundSamples > 0 ? roundMinRttMs : previousRoundMinRttMs;
            roundMinRttMs = Integer.MAX_VALUE;
            roundSamples = 0;
        }
        if (report.rttSampleMs < 0) {
            return;
        }
        roundMinRttMs = Math.min(roundMinRttMs, report.rttSampleMs);
        roundSamples++;
        if (state.window < state.threshold && roundSamples >= DELAY_SAMPLES && previousRoundMinRttMs != Integer.MAX_VALUE) {
            int riseMs = Math.min(Math.max(previousRoundMinRttMs >> 3, 4), 16);
            if (roundMinRttMs >= previousRoundMinRttMs + riseMs) {
                state.threshold = state.window;
            }
        }
    }

    @Override
    public void onLost(LossReport report) {
        if (report.lost() > 0 && report.newestLostOrder >= recoveryEndOrder) {
            if (!episode.isOpen()) {
                stateBeforeEpisode.copyFrom(state);
                episode.begin(report);
            }
            state.windowBeforeLoss = state.window;
            state.plateau = state.window < state.plateau ? state.window * (1 + BETA) / 2 : state.window;
            state.window = Math.max(state.window * BETA, MIN_WINDOW);
            // A loss before the first acknowledgement reveals nothing about the capacity of the path, so slow start continues.
            if (acknowledgedEver && (rounds >= LEARNING_ROUNDS || report.timedOutAgain)) {
                state.threshold = state.window;
            }
            state.inEpoch = false;
            recoveryEndOrder = report.nextOrder;
            exceedsWindow = true;
        }
        episode.onLost(report);
        if (report.interrupted || report.timedOutAgain && !acknowledgedSinceLoss) {
            // Repeated timeouts without an acknowledgement reduce the window to its minimum. They do not change the slow-start threshold,
            // which the first loss has already set.
            episode.end();
            windowBeforeInterruption = Math.max(state.window, windowBeforeInterruption);
            state.window = MIN_WINDOW;
            state.inEpoch = false;
            recoveryEndOrder = report.nextOrder;
        }
        acknowledgedSinceLoss = false;
    }

    @Override
    public void onInterruptionUndone() {
        state.window = Math.max(state.window, windowBeforeInterruption);
        windowBeforeInterruption = 0;
    }

    /** Undoes the reductions once all losses of the episode have turned out to be spurious (RFC 9438, section 4.9). */
    @Override
    public void onLossResolved(int event, boolean spurious) {
        if (episode.onResolved(event, spurious)) {
            double reduced = state.window;
            state.copyFrom(stateBeforeEpisode);
            state.window = Math.max(reduced, state.window);
        }
    }

    @Override
    public void onFlushed(FlushReport report) {
        if (report.inFlightSegments >= (int) state.window) {
            windowLimited = true;
            windowLimitedEndOrder = report.nextOrder;
        }
        if (report.sent > 0 && inFlight == 0) {
            restartRound(report);
        }
        inFlight = report.inFlightSegments;
        exceedsWindow &= inFlight > (int) state.window;
        if (exceedsWindow) {
            // Retransmissions that are sent before the reduction takes effect may be lost in a queue that is still full.
            recoveryEndOrder = report.nextOrder;
        }
        if (report.unlimited != unused) {
            if (report.unlimited) {
                unusedSinceMs = report.timeMs;
            } else {
                pauseEpoch(report.timeMs);
            }
            unused = report.unlimited;
        }
    }

    /**
     * Starts a round without a previous round. Round-trip times from before an idle period say nothing about the queue that slow start
     * builds after it.
     */
    private void restartRound(FlushReport report) {
        roundEndOrder = report.nextOrder;
        roundMinRttMs = Integer.MAX_VALUE;
        previousRoundMinRttMs = Integer.MAX_VALUE;
        roundSamples = 0;
    }

    /** Excludes the time in which the window was not used from the epoch (RFC 9438, section 5.8). */
    private void pauseEpoch(int timeMs) {
        if (state.inEpoch) {
            int pausedFromMs = unusedSinceMs - state.epochStartMs > 0 ? unusedSinceMs : state.epochStartMs;
            state.epochStartMs += timeMs - pausedFromMs;
        }
    }
}
