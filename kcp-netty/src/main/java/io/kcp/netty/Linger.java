package io.kcp.netty;

import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/** The time that a closing session gives its peer to acknowledge what was written. */
final class Linger {

    /** Completed when the session is closed, null if nobody asked for it. */
    final @Nullable ChannelPromise promise;
    private final long endMs;

    Linger(@Nullable ChannelPromise promise, int lingerMs, long nowMs) {
        this.promise = promise;
        endMs = nowMs + lingerMs;
    }

    boolean isOver(long nowMs) {
        return nowMs >= endMs;
    }

    /** Returns the time to wait, shortened to the end of the linger. */
    int limit(int waitMs, long nowMs) {
        return (int) Math.min(waitMs, Math.max(0, endMs - nowMs));
    }
}
