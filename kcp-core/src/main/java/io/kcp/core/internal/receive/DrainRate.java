package io.kcp.core.internal.receive;

import io.kcp.core.KcpConfig;
import io.kcp.core.internal.base.ProtocolConstants;

/**
 * Detects a peer that accepts queued data more slowly than the configured minimum rate, for example by opening its window by one segment at
 * a time. The rate is measured over periods of {@value #PERIOD_MS} ms in which data is waiting without interruption. A period in which the
 * peer was inactive is ignored, because the dead-peer timeout applies to an inactive peer.
 */
public final class DrainRate {

    static final int PERIOD_MS = 10_000;

    private int minBytesPerSecond;
    private boolean measuring;
    private int startMs;
    private long unacknowledgedAtStart;
    private long acknowledgedAtStart;
    private boolean tooSlow;

    public void reconfigure(KcpConfig config) {
        minBytesPerSecond = config.minDrainBytesPerSecond();
    }

    /** Returns {@code true} if the peer was too slow in any period. */
    public boolean isTooSlow() {
        return tooSlow;
    }

    /**
     * Starts a period if data is waiting, and evaluates the current period when it ends.
     *
     * @param unacknowledged bytes that are queued or in flight
     * @param acknowledged   bytes that the peer has acknowledged since the conversation began
     * @param inactiveMs     milliseconds since the latest verified datagram of the peer
     */
    public void update(int timeMs, long unacknowledged, long acknowledged, int inactiveMs) {
        if (unacknowledged == 0) {
            measuring = false;
            return;
        }
        int elapsedMs = timeMs - startMs;
        if (measuring && elapsedMs < PERIOD_MS) {
            return;
        }
        // Ignores a period that was extended by a clock jump or a suspended process.
        if (measuring && elapsedMs < 2 * PERIOD_MS && inactiveMs < PERIOD_MS) {
            long required = Math.min(unacknowledgedAtStart, (long) minBytesPerSecond * elapsedMs / 1_000);
            tooSlow |= acknowledged - acknowledgedAtStart < required;
        }
        measuring = true;
        startMs = timeMs;
        unacknowledgedAtStart = unacknowledged;
        acknowledgedAtStart = acknowledged;
    }

    /** Returns the milliseconds until the end of the current period, or {@code NO_DEADLINE} if there is none. */
    public int msUntilUpdate(int timeMs) {
        return measuring ? Math.max(0, startMs + PERIOD_MS - timeMs) : ProtocolConstants.NO_DEADLINE;
    }
}
