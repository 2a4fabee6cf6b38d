package io.kcp.netty;

import io.kcp.core.Kcp;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * The time that a closing session gives its peer to acknowledge what was written. It is over early if the peer is gone: if nothing was
 * received for a fifth of that time, at least {@value #SILENT_MS} ms and {@value #SILENT_RTOS} retransmission timeouts, while the oldest
 * segment was retransmitted {@value #RETRANSMISSIONS} times. A long linger thus bears with long pauses of a busy peer.
 */
final class Linger {

    private static final int SILENT_PART = 5;
    private static final int SILENT_MS = 1_000;
    private static final int SILENT_RTOS = 4;
    private static final int RETRANSMISSIONS = 4;

    /** Completed when the session is closed, null if nobody asked for it. */
    final @Nullable ChannelPromise promise;
    private final long beganMs;
    private final long endMs;

    Linger(@Nullable ChannelPromise promise, int lingerMs, long nowMs) {
        this.promise = promise;
        beganMs = nowMs;
        endMs = nowMs + lingerMs;
    }

    boolean isOver(Kcp conversation, long nowMs) {
        return nowMs >= endMs || isPeerGone(conversation, nowMs);
    }

    private boolean isPeerGone(Kcp conversation, long nowMs) {
        // A peer that had nothing to say before the close is not gone.
        long silentMs = Math.min(conversation.inactiveMs((int) nowMs), nowMs - beganMs);
        return conversation.oldestTransmissions() > RETRANSMISSIONS
            && silentMs >= Math.max((endMs - beganMs) / SILENT_PART, Math.max(SILENT_MS, SILENT_RTOS * conversation.rtoMs()));
    }

    /** Returns the time to wait, shortened to the end of the linger. */
    int limit(int waitMs, long nowMs) {
        return (int) Math.min(waitMs, Math.max(0, endMs - nowMs));
    }
}
