package io.kcp.core.internal.congestion;

/**
 * Implements the congestion control of kcp-go with {@code nc = 0}, including its quirks. See section 2.11 of {@code wire-format.md}.
 *
 * <p>The window of kcp-go grows once per datagram that advances {@code una}. A peer that uses this library acknowledges up to
 * {@value #MAX_GROWTH} segments of a bulk transfer with one datagram, so the window grows once per segment of such a datagram.
 */
public final class KcpGoCongestionControl implements CongestionControl {

    private static final int MIN_THRESHOLD = 2;
    private static final int MAX_GROWTH = 8;

    /** Congestion window in segments. It is 0 before the first flush, which therefore sends no data. */
    private int windowSegments;
    private int threshold = MIN_THRESHOLD;
    private int windowBytes;

    /** Creates an algorithm whose first flush opens the window. */
    public KcpGoCongestionControl() {
    }

    @Override
    public int spanLimit() {
        return windowSegments;
    }

    /** Returns the congestion window in bytes, which grows more finely than the window in segments. */
    public int windowBytes() {
        return windowBytes;
    }

    /** Returns the slow-start threshold in segments. */
    public int threshold() {
        return threshold;
    }

    @Override
    public void onAcknowledged(AckReport report) {
        if (!report.unaAdvanced) {
            return;
        }
        int steps = report.peerDelaysAcks ? Math.min(report.acknowledged, MAX_GROWTH) : 1;
        grow(report);
        for (int i = 1; i < steps; i++) {
            grow(report);
        }
    }

    private void grow(AckReport report) {
        if (windowSegments >= report.remoteWindow) {
            return;
        }
        int mss = report.mssBytes;
        if (windowSegments < threshold) {
            windowSegments++;
            windowBytes += mss;
        } else {
            windowBytes = Math.max(windowBytes, mss);
            windowBytes += mss * mss / windowBytes + mss / 16;
            if ((windowSegments + 1) * mss <= windowBytes) {
                windowSegments = (windowBytes + mss - 1) / mss;
            }
        }
        if (windowSegments > report.remoteWindow) {
            windowSegments = report.remoteWindow;
            windowBytes = report.remoteWindow * mss;
        }
    }

    @Override
    public void onLost(LossReport report) {
        if (report.skipped > 0) {
            threshold = Math.max(report.span / 2, MIN_THRESHOLD);
            // If fastResend is 0, kcp-go adds 0xFFFFFFFF to the threshold, which makes the window one segment smaller than the threshold.
            windowSegments = threshold + (report.fastResend > 0 ? report.fastResend : -1);
            windowBytes = windowSegments * report.mssBytes;
        }
        if (report.timedOut > 0) {
            threshold = Math.max(report.effectiveWindow / 2, MIN_THRESHOLD);
            windowSegments = 1;
            windowBytes = report.mssBytes;
        }
    }

    @Override
    public void onFlushed(FlushReport report) {
        if (windowSegments < 1) {
            windowSegments = 1;
            windowBytes = report.mssBytes;
        }
    }
}
