package io.kcp.core.congestion;

/** Sets no limit. All conversations without congestion control share one instance, because it has no state. */
final class NoCongestionControl implements CongestionControl {

    @Override
    public void onAcknowledged(AckReport report) {
    }

    @Override
    public void onLost(LossReport report) {
    }
}
