package io.kcp.core;

/** Limits what is in flight beside the two windows. This class is {@link CongestionAlgorithm#NONE}: no limit. */
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

    /** Returns how many numbers may lie between the oldest unacknowledged and the next segment. */
    int spanLimit() {
        return UNLIMITED;
    }

    /** Returns how many segments may be sent now, first transmissions and repetitions alike. */
    int allowance(int inFlight, int timeMs) {
        return UNLIMITED;
    }

    /** Returns milliseconds until {@link #allowance} may grow by itself; 0 when it does not limit. */
    int msUntilAllowance(int inFlight, int timeMs) {
        return 0;
    }

    void onTransmitted(int segments, int inFlight, int timeMs) {
    }

    void onAcknowledged(AckReport report) {
    }

    void onFlushed(LossReport report) {
    }

    /** A retransmission proved needless: its loss was none. */
    void onSpuriousLoss() {
    }
}
