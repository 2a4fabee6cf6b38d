package io.kcp.core.internal.congestion;

/** The variables of {@link CubicCongestionControl} that a reduction of the window changes, and that its undo restores. */
final class CubicSnapshot {

    /** Congestion window in segments. */
    double window;
    /** Slow-start threshold in segments. */
    double threshold = Double.MAX_VALUE;
    double windowBeforeLoss;
    /** Window around which the cubic function grows slowly. */
    double plateau;
    /** Window that Reno would have. */
    double renoWindow;
    double secondsToPlateau;
    int epochStartMs;
    boolean inEpoch;

    CubicSnapshot(double initialWindow) {
        window = initialWindow;
    }

    void copyFrom(CubicSnapshot other) {
        window = other.window;
        threshold = other.threshold;
        windowBeforeLoss = other.windowBeforeLoss;
        plateau = other.plateau;
        renoWindow = other.renoWindow;
        secondsToPlateau = other.secondsToPlateau;
        epochStartMs = other.epochStartMs;
        inEpoch = other.inEpoch;
    }
}
