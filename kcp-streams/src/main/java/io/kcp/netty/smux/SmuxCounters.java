package io.kcp.netty.smux;

import org.jspecify.annotations.Nullable;

/** The counters of one {@link SmuxMultiplexer}, which only its event loop accesses. */
final class SmuxCounters {

    long opened;
    long accepted;
    long refused;
    long framesReceived;
    long framesSent;
    long bytesReceived;
    long bytesSent;
    long dropped;
    long ignored;
    private final @Nullable SmuxTotals totals;

    /** Creates counters whose values are also added to the given totals, unless the totals are null. */
    SmuxCounters(@Nullable SmuxTotals totals) {
        this.totals = totals;
    }

    void onOpened() {
        opened++;
        if (totals != null) {
            totals.onOpened();
        }
    }

    void onAccepted() {
        accepted++;
        if (totals != null) {
            totals.onAccepted();
        }
    }

    void onRefused() {
        refused++;
        if (totals != null) {
            totals.onRefused();
        }
    }

    void onClosed(@Nullable SmuxException cause) {
        if (totals != null) {
            totals.onClosed(cause == null ? null : cause.error());
        }
    }

    SmuxStats snapshot(int openStreams, long queuedBytes) {
        return new SmuxStats(openStreams, opened, accepted, refused, framesReceived, framesSent, bytesReceived, bytesSent, dropped,
            ignored, queuedBytes);
    }
}
