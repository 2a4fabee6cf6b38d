package io.kcp.core;

/**
 * Implements CUBIC (RFC 9438) with a congestion window in segments. Slow start ends when the round-trip time rises (HyStart, simplified
 * from RFC 9406). Losses reduce the window at most once per round trip, and the reduction is undone if the loss was spurious. Transmissions
 * are paced over the round trip, so that they do not overflow a short queue on the path.
 */
final class CubicCongestionControl extends CongestionControl {

    private static final double BETA = 0.7;
    private static final double GROWTH = 0.4;
    /** Additive increase factor of the Reno-friendly region in RFC 9438: 3 (1 - beta) / (1 + beta). */
    private static final double RENO_GROWTH = 3 * (1 - BETA) / (1 + BETA);
    private static final int INITIAL_WINDOW = 10;
    private static final int MIN_WINDOW = 4;
    private static final int BURST_SEGMENTS = 8;
    private static final int DELAY_SAMPLES = 8;

    private double window = INITIAL_WINDOW;
    private double threshold = Double.MAX_VALUE;
    private double windowBeforeLoss;
    private double plateau;
    private double renoWindow;
    private double secondsToPlateau;
    private int epochStartMs;
    private boolean inEpoch;
    private long recoveryEndOrder;
    private boolean windowLimited;
    private boolean acknowledgedSinceLoss;
    private boolean acknowledgedEver;

    private double savedWindow;
    private double savedThreshold;
    private boolean undoable;

    private long roundEndOrder;
    private int roundMinRttMs = Integer.MAX_VALUE;
    private int previousRoundMinRttMs = Integer.MAX_VALUE;
    private int roundSamples;

    private double tokens = INITIAL_WINDOW;
    private int tokensAtMs;
    private double tokensPerMs;

    @Override
    CongestionAlgorithm algorithm() {
        return CongestionAlgorithm.CUBIC;
    }

    double window() {
        return window;
    }

    @Override
    int allowance(int inFlight, int timeMs) {
        int room = (int) window - inFlight;
        if (room <= 0) {
            windowLimited = true;
            return 0;
        }
        return Math.min(room, tokensAt(timeMs));
    }

    @Override
    int msUntilAllowance(int inFlight, int timeMs) {
        if ((int) window - inFlight <= 0) {
            return Kcp.NO_DEADLINE;
        }
        if (tokensAt(timeMs) >= 1) {
            return 0;
        }
        return Math.max(1, (int) Math.ceil((1 - tokens) / tokensPerMs));
    }

    private int tokensAt(int timeMs) {
        if (tokensPerMs == 0) {
            return UNLIMITED;
        }
        // The difference is treated as unsigned, because it overflows a signed int after 25 days without a flush.
        long elapsedMs = Integer.toUnsignedLong(timeMs - tokensAtMs);
        tokensAtMs = timeMs;
        tokens = Math.min(tokens + elapsedMs * tokensPerMs, Math.max(BURST_SEGMENTS, 2 * tokensPerMs));
        return (int) tokens;
    }

    @Override
    void onTransmitted(int segments, int inFlight, int timeMs) {
        tokens -= segments;
        if (inFlight >= (int) window) {
            windowLimited = true;
        }
    }

    @Override
    void onAcknowledged(AckReport report) {
        watchDelay(report);
        if (report.acknowledged > 0) {
            acknowledgedSinceLoss = true;
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
        if (tokensPerMs == 0) {
            tokensAtMs = report.timeMs;
            tokens = BURST_SEGMENTS;
        }
        tokensPerMs = rttMs < 2 ? 0 : window * (window < threshold ? 2.0 : 1.25) / rttMs;
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
    void onFlushed(LossReport report) {
        if (report.skipped + report.timedOut == 0) {
            return;
        }
        if (report.newestLostOrder >= recoveryEndOrder) {
            savedWindow = window;
            savedThreshold = threshold;
            undoable = true;
            windowBeforeLoss = window;
            plateau = window < plateau ? window * (1 + BETA) / 2 : window;
            window = Math.max(window * BETA, MIN_WINDOW);
            // A loss before the first acknowledgement reveals nothing about the capacity of the path, so slow start continues.
            threshold = acknowledgedEver ? window : threshold;
            inEpoch = false;
            recoveryEndOrder = report.nextOrder;
        }
        if (report.timedOutAgain && !acknowledgedSinceLoss) {
            // Repeated timeouts without an acknowledgement reduce the window to its minimum. They do not change the slow-start threshold,
            // which the first loss has already set.
            undoable = false;
            window = MIN_WINDOW;
            inEpoch = false;
            recoveryEndOrder = report.nextOrder;
        }
        acknowledgedSinceLoss = false;
    }

    @Override
    void onSpuriousLoss() {
        if (undoable) {
            undoable = false;
            window = Math.max(window, savedWindow);
            threshold = savedThreshold;
        }
    }
}
