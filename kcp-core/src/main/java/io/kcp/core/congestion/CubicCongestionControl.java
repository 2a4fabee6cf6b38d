package io.kcp.core.congestion;

/**
 * Implements CUBIC (RFC 9438) with a congestion window in segments. Slow start ends when the round-trip time rises (HyStart, simplified
 * from RFC 9406). Losses reduce the window at most once per round trip, and the reduction is undone if all losses of that round trip were
 * spurious. Transmissions are paced over the round trip, so that they do not overflow a short queue on the path.
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
    private boolean windowLimited;
    private boolean acknowledgedSinceLoss;
    private boolean acknowledgedEver;

    /** {@code true} since {@link #applicationLimitedAtMs} if the application does not use the window. */
    private boolean applicationLimited;
    private int applicationLimitedAtMs;
    /** Number of segments in flight after the latest flush. */
    private int inFlight;

    // The loss episode: all losses of transmissions before recoveryEndOrder, of which the first reduced the window.
    private long recoveryEndOrder;
    private long episodeStartOrder;
    private int episodeLosses;
    private int episodeSpurious;
    private double savedWindow;
    private double savedThreshold;
    private double savedPlateau;
    private boolean undoable;

    private long roundEndOrder;
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
            windowLimited = false;
        }
        int rttMs = report.smoothedRttMs;
        bytesPerSecond = rttMs < 2 ? 0
            : (long) (window * (window < threshold ? 2.0 : 1.25) * report.fullSegmentBytes * MS_PER_S / rttMs);
        burstBytes = Math.max((long) BURST_SEGMENTS * report.fullSegmentBytes, bytesPerSecond * BURST_MS / MS_PER_S);
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
            savedWindow = window;
            savedThreshold = threshold;
            savedPlateau = plateau;
            undoable = true;
            episodeLosses = 0;
            episodeSpurious = 0;
            episodeStartOrder = report.oldestLostOrder;
            windowBeforeLoss = window;
            plateau = window < plateau ? window * (1 + BETA) / 2 : window;
            window = Math.max(window * BETA, MIN_WINDOW);
            // A loss before the first acknowledgement reveals nothing about the capacity of the path, so slow start continues.
            threshold = acknowledgedEver ? window : threshold;
            inEpoch = false;
            recoveryEndOrder = report.nextOrder;
        }
        episodeLosses += report.lost();
        episodeStartOrder = Math.min(episodeStartOrder, report.oldestLostOrder);
        // A segment that FEC recovered was lost, so the episode contains a real loss.
        undoable &= report.recovered == 0;
        if (report.interrupted || report.timedOutAgain && !acknowledgedSinceLoss) {
            // Repeated timeouts without an acknowledgement reduce the window to its minimum. They do not change the slow-start threshold,
            // which the first loss has already set.
            undoable = false;
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

    /** Undoes the reduction once all losses of the episode have turned out to be spurious, as Linux does with DSACK. */
    @Override
    public void onSpuriousLoss(long order, int losses) {
        if (!undoable || order < episodeStartOrder) {
            return;
        }
        episodeSpurious += losses;
        if (episodeSpurious >= episodeLosses) {
            undoable = false;
            window = Math.max(window, savedWindow);
            threshold = savedThreshold;
            plateau = savedPlateau;
            inEpoch = false;
        }
    }

    @Override
    public void onFlushed(FlushReport report) {
        if (report.inFlightSegments >= (int) window) {
            windowLimited = true;
        }
        if (report.sent > 0 && inFlight == 0) {
            restartRound(report);
        }
        inFlight = report.inFlightSegments;
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
