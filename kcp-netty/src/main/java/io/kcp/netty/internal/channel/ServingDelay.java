package io.kcp.netty.internal.channel;

import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import org.jspecify.annotations.Nullable;

/**
 * Measures for how long sessions wait until their handlers are called. It follows one session at a time: the session that was the last one
 * in the queue when the previous one was served.
 */
final class ServingDelay {

    private final LoopContext loop;
    private @Nullable AbstractSession followed;
    private long followedSinceMs;

    ServingDelay(LoopContext loop) {
        this.loop = loop;
    }

    /** Records for how long the followed session has waited so far, or follows the last session of the queue, which may be null. */
    void onSliceEnd(@Nullable AbstractSession last) {
        if (followed == null) {
            followed = last;
            followedSinceMs = loop.recentNowMs();
        } else {
            record();
        }
    }

    /** Records the delay of the session if it is the followed one. */
    void onServed(AbstractSession session) {
        if (session == followed) {
            record();
            followed = null;
        }
    }

    private void record() {
        loop.addHandlingDelay(loop.recentNowMs() - followedSinceMs);
    }

    /** Stops following a session. */
    void stop() {
        followed = null;
    }
}
