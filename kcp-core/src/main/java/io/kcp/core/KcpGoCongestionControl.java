package io.kcp.core;

/** Applies the congestion control rules of kcp-go for {@code nc = 0}, quirks included; see section 2.11 of {@code wire-format.md}. */
final class KcpGoCongestionControl extends CongestionControl {

    private static final int MIN_THRESHOLD = 2;

    /** 0 before the first flush, which therefore sends nothing. */
    private int windowSegments;
    private int threshold = MIN_THRESHOLD;
    private int windowBytes;

    @Override
    CongestionAlgorithm algorithm() {
        return CongestionAlgorithm.KCP_GO;
    }

    @Override
    int spanLimit() {
        return windowSegments;
    }

    int windowBytes() {
        return windowBytes;
    }

    int threshold() {
        return threshold;
    }

    @Override
    void onAcknowledged(AckReport report) {
        if (!report.unaAdvanced || windowSegments >= report.remoteWindow) {
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
    void onFlushed(LossReport report) {
        if (report.skipped > 0) {
            threshold = Math.max(report.span / 2, MIN_THRESHOLD);
            // With fastResend 0 kcp-go adds 0xFFFFFFFF, so the window is one segment smaller.
            windowSegments = threshold + (report.fastResend > 0 ? report.fastResend : -1);
            windowBytes = windowSegments * report.mssBytes;
        }
        if (report.timedOut > 0) {
            threshold = Math.max(report.effectiveWindow / 2, MIN_THRESHOLD);
            windowSegments = 1;
            windowBytes = report.mssBytes;
        }
        if (windowSegments < 1) {
            windowSegments = 1;
            windowBytes = report.mssBytes;
        }
    }
}
