package io.kcp.core;

/**
 * Base class of the congestion control algorithms, which limit the segments in flight. The class itself implements
 * {@link CongestionAlgorithm#NONE}, which sets no limit.
 */
class CongestionControl {

    static final int UNLIMITED = Integer.MAX_VALUE;
    static final CongestionControl NONE = new CongestionControl();

    static CongestionControl of(CongestionAlgorithm algorithm) {
        return switch (algorithm) {
            case NONE -> NONE;
            case CUBIC -> new CubicCongestionControl();
            case KCP_GO -> new KcpGoCongestionControl();
        };
    }

    CongestionAlgorithm algorithm() {
        return CongestionAlgorithm.NONE;
    }

    /** Returns the maximum distance between the oldest unacknowledged segment number and the next segment number to send. */
    int spanLimit() {
        return UNLIMITED;
    }

    /** Returns how many segments may be sent now, including retransmissions. */
    int allowance(int inFlight, int timeMs) {
        return UNLIMITED;
    }

    /**
     * Returns the number of milliseconds until {@link #allowance} permits a segment, assuming that no further acknowledgement arrives, or 0
     * if it permits a segment now.
     */
    int msUntilAllowance(int inFlight, int timeMs) {
        return 0;
    }

    void onTransmitted(int segments, int inFlight, int timeMs) {
    }

    void onAcknowledged(AckReport report) {
    }

    void onFlushed(LossReport report) {
    }

    /** Called when a retransmission turns out to be spurious, that is, when the retransmitted segment had not been lost. */
    void onSpuriousLoss() {
    }
}
