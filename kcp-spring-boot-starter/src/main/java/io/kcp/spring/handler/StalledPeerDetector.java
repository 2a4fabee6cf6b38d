package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpSessionStats;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Detects a peer that has acknowledged no data for the linger time although data is in flight. All methods run on the event loop. */
final class StalledPeerDetector {

    private static final int CHECKS_PER_LINGER_TIME = 8;
    private static final long MIN_INTERVAL_MS = 10;

    private final KcpChannel session;
    private final Runnable onStalled;
    private long acknowledgedBytes;
    private long lastProgressNanos;
    private @Nullable Future<?> checks;

    /**
     * Creates a detector, which the caller must start.
     *
     * @param onStalled called when the peer has stalled; must stop the detector
     */
    StalledPeerDetector(KcpChannel session, Runnable onStalled) {
        this.session = session;
        this.onStalled = onStalled;
    }

    void start() {
        noteProgress(stats());
        long intervalMs = Math.max(MIN_INTERVAL_MS, session.config().lingerMs() / CHECKS_PER_LINGER_TIME);
        checks = session.eventLoop().scheduleWithFixedDelay(this::check, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    }

    void stop() {
        if (checks != null) {
            checks.cancel(false);
        }
    }

    private void check() {
        KcpSessionStats stats = stats();
        if (stats.unacknowledgedBytes() == 0 || stats.acknowledgedBytes() != acknowledgedBytes) {
            noteProgress(stats);
        } else if (System.nanoTime() - lastProgressNanos >= TimeUnit.MILLISECONDS.toNanos(session.config().lingerMs())) {
            onStalled.run();
        }
    }

    private void noteProgress(KcpSessionStats stats) {
        acknowledgedBytes = stats.acknowledgedBytes();
        lastProgressNanos = System.nanoTime();
    }

    /** Returns the statistics of the session, which are available immediately because all methods run on the session's event loop. */
    private KcpSessionStats stats() {
        return session.collectStats().getNow();
    }
}
