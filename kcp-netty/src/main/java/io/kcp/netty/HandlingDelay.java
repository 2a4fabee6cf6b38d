package io.kcp.netty;

import io.kcp.netty.loop.LoopContext;
import io.kcp.netty.session.AbstractSession;
import org.jspecify.annotations.Nullable;

/**
 * Measures for how long sessions wait until their handlers are called. It follows one session at a time: the session that was the last one
 * in the queue when the previous one was served.
 */
final class HandlingDelay {

    private final KcpHandler handler;
    private @Nullable AbstractSession followed;
    private long followedSinceMs;

    HandlingDelay(KcpHandler handler) {
        this.handler = handler;
    }

    /** Records for how long the followed session has waited so far, or follows the last session of the queue, which may be null. */
    void onSliceEnd(@Nullable AbstractSession last) {
        if (followed == null) {
            followed = last;
            followedSinceMs = handler.loop().recentNowMs();
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
        LoopContext loop = handler.loop();
        loop.addHandlingDelay(loop.recentNowMs() - followedSinceMs);
    }

    /** Stops following a session. */
    void stop() {
        followed = null;
    }
}
