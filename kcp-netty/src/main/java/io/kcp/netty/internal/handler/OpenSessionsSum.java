package io.kcp.netty.internal.handler;

import io.kcp.netty.KcpOpenSessions;
import io.kcp.netty.KcpSessionStats;
import java.util.ArrayList;
import java.util.List;

/** Sums the statistics of open sessions into one {@link KcpOpenSessions}. */
public final class OpenSessionsSum {

    private final long[] byRtt = new long[KcpOpenSessions.RTT_BOUNDS_MS.size() + 1];
    private long unacknowledgedBytes;
    private long waitingSegments;
    private long measured;
    private long totalRttMs;
    private int maxRttMs;

    public void add(KcpSessionStats stats) {
        unacknowledgedBytes += stats.unacknowledgedBytes();
        waitingSegments += stats.waitingSegments();
        int rttMs = stats.smoothedRttMs();
        if (rttMs > 0) {
            measured++;
            totalRttMs += rttMs;
            maxRttMs = Math.max(maxRttMs, rttMs);
        }
        int bound = 0;
        while (bound < byRtt.length - 1 && rttMs > KcpOpenSessions.RTT_BOUNDS_MS.get(bound)) {
            bound++;
        }
        byRtt[bound]++;
    }

    public KcpOpenSessions result() {
        List<Long> counts = new ArrayList<>();
        for (long count : byRtt) {
            counts.add(count);
        }
        return new KcpOpenSessions(unacknowledgedBytes, waitingSegments, measured, totalRttMs, maxRttMs, counts);
    }
}
