package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpSessionStats;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out that a peer has acknowledged nothing for the linger time of its session, although there is something to acknowledge. On
 * the event loop.
 */
final class PeerProgress {

    /** How often it looks within the linger time. */
    private static final int LOOKS = 8;
    private static final long MIN_LOOK_MS = 10;

    private final KcpChannel session;
    private final Runnable onNone;
    private long acknowledgedBytes;
    private long sinceNanos;
    private @Nullable Future<?> nextLook;

    /**
     * Creates a watch that does not watch yet.
     *
     * @param onNone called once if there is no progress
     */
    PeerProgress(KcpChannel session, Runnable onNone) {
        this.session = session;
        this.onNone = onNone;
    }

    /** Begins. */
    void watch() {
        noteProgress(stats());
        lookLater();
    }

    void stop() {
        if (nextLook != null) {
            nextLook.cancel(false);
        }
    }

    private void lookLater() {
        long waitMs = Math.max(MIN_LOOK_MS, session.config().lingerMs() / LOOKS);
        nextLook = session.eventLoop().schedule(this::look, waitMs, TimeUnit.MILLISECONDS);
    }

    private void look() {
        KcpSessionStats stats = stats();
        if (stats.unacknowledgedBytes() == 0 || stats.acknowledgedBytes() != acknowledgedBytes) {
            noteProgress(stats);
        } else if (System.nanoTime() - sinceNanos >= TimeUnit.MILLISECONDS.toNanos(session.config().lingerMs())) {
            onNone.run();
            return;
        }
        lookLater();
    }

    private void noteProgress(KcpSessionStats stats) {
        acknowledgedBytes = stats.acknowledgedBytes();
        sinceNanos = System.nanoTime();
    }

    /** There at once on the event loop. */
    private KcpSessionStats stats() {
        return session.collectStats().getNow();
    }
}
