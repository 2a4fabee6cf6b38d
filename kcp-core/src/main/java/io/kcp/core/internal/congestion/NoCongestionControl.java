package io.kcp.core.internal.congestion;

/** Sets no limit. All conversations without congestion control share one instance, because it has no state. */
public final class NoCongestionControl implements CongestionControl {

    /** The only instance. */
    public static final NoCongestionControl INSTANCE = new NoCongestionControl();

    private NoCongestionControl() {
    }

    @Override
    public void onAcknowledged(AckReport report) {
    }

    @Override
    public void onLost(LossReport report) {
    }
}
