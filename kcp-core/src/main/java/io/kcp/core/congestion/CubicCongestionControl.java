package io.kcp.core.congestion;

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
     * Number of round trips after which skipped segments end slow start. Before that, the reordering on the path is unknown, so many of
     * these segments may be late rather than lost.
     */
    private static final int LEARNING_ROUNDS = 3;
    private static final int MS_PER_S = 1_000;

    private double window = INITIAL_WINDOW;
    private double threshold = Double.MAX_VALUE;
    private double windowBeforeLoss;
    private double windowBeforeInterruption;
    private double plateau;
    private double renoWindow;
    private double secondsToPlateau;
    private int epochStartMs;
    private boolean inEpoch;
    /** {@code true} after a flush has filled the window, until the segments that were then in flight have been acknowledged. */
    private boolean windowLimited;
    private long windowLimitedEndOrder;
    private boolean acknowledgedSinceLoss;
    private boolean acknowledgedEver;

    /** {@code true} since {@link #applicationLimitedAtMs} if the application does not use the window. */
    private boolean applicationLimited;
    private int applicationLimitedAtMs;
    /** Number of segments in flight after the latest flush. */
    private int inFlight;

    /** Transmissions with a lower order belong to the round trip of the latest reduction. */
    private long recoveryEndOrder;
    /** {@code true} as long as more segments are in flight than the reduced window permits. */
    private boolean exceedsWindow;
    private final LossEpisode episode = new LossEpisode();
    // The state before the first reduction of the episode.
    private double savedWindow;
    private double savedThreshold;
    private double savedWindowBeforeLoss;
    private double savedPlateau;
    private double savedRenoWindow;
    private double savedSecondsToPlateau;
    private int savedEpochStartMs;
    private boolean savedInEpoch;

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
        return window;
    }

    @Override
    public int maxSegmentsInFlight() {
        return (int) window;
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
            if (window < threshold) {
                window += report.acknowledged;
            } else {
                grow(report);
            }
            windowLimited = report.highestAckedOrder < windowLimitedEndOrder - 1;
        }
        int rttMs = report.smoothedRttMs;
        bytesPerSecond = rttMs < 2 ? 0
            : (long) (window * pacingGain(report.highestAckedOrder) * report.fullSegmentBytes * MS_PER_S / rttMs);
        burstBytes = Math.max((long) BURST_SEGMENTS * report.fullSegmentBytes, bytesPerSecond * BURST_MS / MS_PER_S);
    }

    /**
     * Returns the factor by which the pacing rate exceeds one window per round trip. After a loss, the number of segments in flight drops
     * suddenly although the queue is still full. A higher rate would overflow the queue again.
     */
    private double pacingGain(long highestAckedOrder) {
        if (window < threshold) {
            return 2.0;
        }
        return highestAckedOrder < recoveryEndOrder ? 1.0 : 1.25;
    }

    private void grow(AckReport report) {
        if (!inEpoch) {
            inEpoch = true;
            epochStartMs = report.timeMs;
            renoWindow = window;
            plateau = Math.max(plateau, window);
            secondsToPlateau = Math.cbrt((plateau - window) / GROWTH);
        }
        double seconds = (Integer.toUnsignedLong(report.timeMs - epochStartMs) + report.smoothedRttMs) / 1000.0 - secondsToPlateau;
        double target = Math.min(GROWTH * seconds * seconds * seconds + plateau, 1.5 * window);
        renoWindow += (renoWindow < windowBeforeLoss ? RENO_GROWTH : 1) * report.acknowledged / window;
        if (target > window) {
            window += (target - window) / window * report.acknowledged;
        }
        window = Math.max(window, renoWindow);
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
        if (window < threshold && roundSamples >= DELAY_SAMPLES && previousRoundMinRttMs != Integer.MAX_VALUE) {
            int riseMs = Math.min(Math.max(previousRoundMinRttMs >> 3, 4), 16);
            if (roundMinRttMs >= previousRoundMinRttMs + riseMs) {
                threshold = window;
            }
        }
    }

    @Override
    public void onLost(LossReport report) {
        if (report.lost() > 0 && report.newestLostOrder >= recoveryEndOrder) {
            if (!episode.isOpen()) {
                save();
                episode.begin(report);
            }
            windowBeforeLoss = window;
            plateau = window < plateau ? window * (1 + BETA) / 2 : window;
            window = Math.max(window * BETA, MIN_WINDOW);
            // A loss before the first acknowledgement reveals nothing about the capacity of the path, so slow start continues.
            if (acknowledgedEver && (rounds >= LEARNING_ROUNDS || report.timedOut > 0 || report.recovered > 0)) {
                threshold = window;
            }
            inEpoch = false;
            recoveryEndOrder = report.nextOrder;
            exceedsWindow = true;
        }
        episode.onLost(report);
        if (report.interrupted || report.timedOutAgain && !acknowledgedSinceLoss) {
            // Repeated timeouts without an acknowledgement reduce the window to its minimum. They do not change the slow-start threshold,
            // which the first loss has already set.
            episode.end();
            windowBeforeInterruption = Math.max(window, windowBeforeInterruption);
            window = MIN_WINDOW;
            inEpoch = false;
            recoveryEndOrder = report.nextOrder;
        }
        acknowledgedSinceLoss = false;
    }

    @Override
    public void onInterruptionUndone() {
        window = Math.max(window, windowBeforeInterruption);
        windowBeforeInterruption = 0;
    }

    private void save() {
        savedWindow = window;
        savedThreshold = threshold;
        savedWindowBeforeLoss = windowBeforeLoss;
        savedPlateau = plateau;
        savedRenoWindow = renoWindow;
        savedSecondsToPlateau = secondsToPlateau;
        savedEpochStartMs = epochStartMs;
        savedInEpoch = inEpoch;
    }

    /** Undoes the reductions once all losses of the episode have turned out to be spurious (RFC 9438, section 4.9). */
    @Override
    public void onLossResolved(int event, boolean spurious) {
        if (episode.onResolved(event, spurious)) {
            window = Math.max(window, savedWindow);
            threshold = savedThreshold;
            windowBeforeLoss = savedWindowBeforeLoss;
            plateau = savedPlateau;
            renoWindow = savedRenoWindow;
            secondsToPlateau = savedSecondsToPlateau;
            epochStartMs = savedEpochStartMs;
            inEpoch = savedInEpoch;
        }
    }

    @Override
    public void onFlushed(FlushReport report) {
        if (report.inFlightSegments >= (int) window) {
            windowLimited = true;
            windowLimitedEndOrder = report.nextOrder;
        }
        if (report.sent > 0 && inFlight == 0) {
            restartRound(report);
        }
        inFlight = report.inFlightSegments;
        exceedsWindow &= inFlight > (int) window;
        if (exceedsWindow) {
            // Retransmissions that are sent before the reduction takes effect may be lost in a queue that is still full.
            recoveryEndOrder = report.nextOrder;
        }
        if (report.applicationLimited != applicationLimited) {
            if (report.applicationLimited) {
                applicationLimitedAtMs = report.timeMs;
            } else {
                pauseEpoch(report.timeMs);
            }
            applicationLimited = report.applicationLimited;
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

    /** Excludes the time in which the application did not use the window from the epoch (RFC 9438, section 5.8). */
    private void pauseEpoch(int timeMs) {
        if (inEpoch) {
            int pausedFromMs = applicationLimitedAtMs - epochStartMs > 0 ? applicationLimitedAtMs : epochStartMs;
            epochStartMs += timeMs - pausedFromMs;
        }
    }
}
