package io.kcp.core.conversation;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.congestion.CubicCongestionControl;
import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.ByteBufAllocator;

/** Gives the tests of this module access to package-private members of {@link Kcp}. */
public final class KcpInternals {

    private KcpInternals() {
    }

    /** Creates a conversation whose first segments have the given numbers. */
    public static Kcp create(int conv, KcpConfig config, KcpOutput output, ByteBufAllocator allocator, int timestampBase, int nowMs,
        int firstSendSn, int firstReceiveSn) {
        return new Kcp(conv, config, output, new SegmentPool(allocator), timestampBase, nowMs, firstSendSn, firstReceiveSn);
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
