package io.kcp.core;

/** Limits the segments in flight in addition to the two windows. This class implements {@link CongestionAlgorithm#NONE}: no limit. */
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

    /** Returns the largest distance from the oldest unacknowledged segment number to the next one. */
    int spanLimit() {
        return UNLIMITED;
    }

    /** Returns how many segments may be sent now, including retransmissions. */
    int allowance(int inFlight, int timeMs) {
        return UNLIMITED;
    }

    /** Returns milliseconds until {@link #allowance} may grow without an acknowledgement; 0 if it does not limit. */
    int msUntilAllowance(int inFlight, int timeMs) {
        return 0;
    }

    void onTransmitted(int segments, int inFlight, int timeMs) {
    }

    void onAcknowledged(AckReport report) {
    }

    void onFlushed(LossReport report) {
    }

    /** Notes that a retransmission was spurious, so its segment was not lost. */
    void onSpuriousLoss() {
    }
}
