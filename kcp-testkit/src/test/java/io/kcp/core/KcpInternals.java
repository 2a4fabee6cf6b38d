package io.kcp.core;

import io.kcp.core.congestion.CongestionControl;
import io.kcp.core.congestion.CubicCongestionControl;

/** Gives the tests of this module access to package-private members of {@link Kcp}. */
public final class KcpInternals {

    private KcpInternals() {
    }

    /** Creates a conversation whose first segments have the given numbers. */
    public static Kcp create(int conv, KcpConfig config, KcpOutput output, SegmentPool pool, int timestampBase, int nowMs,
        int firstSendSn, int firstReceiveSn) {
        return new Kcp(conv, config, output, pool, timestampBase, nowMs, firstSendSn, firstReceiveSn);
    }

    /** Returns the number of segments that a conversation visited in its send window. */
    public static long segmentsVisited(Kcp kcp) {
        return kcp.segmentsVisited();
    }

    /** Returns the congestion control of a conversation. */
    public static CongestionControl congestion(Kcp kcp) {
        return kcp.congestion();
    }

    /** Returns the congestion window of CUBIC, or the send window if the conversation uses another algorithm. */
    public static double congestionWindow(Kcp kcp) {
        return kcp.congestion() instanceof CubicCongestionControl cubic ? cubic.window() : kcp.config().sendWindow();
    }
}
