package io.kcp.netty.internal.session;

import io.kcp.core.conversation.Kcp;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * Limits how long a closing session waits for its peer to acknowledge all written data. The wait ends early if the peer is considered gone.
 * This is the case if the oldest segment was retransmitted {@value #RETRANSMISSIONS} times, and nothing was received for a fifth of the
 * linger time, but at least for {@value #INACTIVE_MS} ms and for {@value #INACTIVE_RTOS} retransmission timeouts. A long linger time thus
 * tolerates long pauses of a busy peer.
 */
public final class Linger {

    private static final int INACTIVE_PART = 5;
    private static final int INACTIVE_MS = 1_000;
    private static final int INACTIVE_RTOS = 4;
    private static final int RETRANSMISSIONS = 4;

    /** The promise of {@code close()}, or null if the caller of {@code close()} wants no notification. */
    public final @Nullable ChannelPromise promise;
    private final long beganMs;
    private final long endMs;

    /** Starts the linger time of one session at {@code nowMs}. */
    public Linger(@Nullable ChannelPromise promise, int lingerMs, long nowMs) {
        this.promise = promise;
        beganMs = nowMs;
        endMs = nowMs + lingerMs;
    }

    /** Returns {@code true} if the linger time has passed or the peer is considered gone. */
    public boolean isOver(Kcp conversation, long nowMs) {
        return nowMs >= endMs || isPeerGone(conversation, nowMs);
    }

    private boolean isPeerGone(Kcp conversation, long nowMs) {
        // Counts only the inactivity since the session began to linger, because an idle peer may have had nothing to send before that time.
        long inactiveMs = Math.min(conversation.inactiveMs((int) nowMs), nowMs - beganMs);
        return conversation.oldestTransmissions() > RETRANSMISSIONS
            && inactiveMs >= Math.max((endMs - beganMs) / INACTIVE_PART, Math.max(INACTIVE_MS, INACTIVE_RTOS * conversation.rtoMs()));
    }

    /** Returns {@code waitMs}, or the remaining linger time if that is shorter. */
    public int limit(int waitMs, long nowMs) {
        return (int) Math.min(waitMs, Math.max(0, endMs - nowMs));
    }
}
