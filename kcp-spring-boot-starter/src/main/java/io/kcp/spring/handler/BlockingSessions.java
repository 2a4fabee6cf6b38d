package io.kcp.spring.handler;

import io.kcp.spring.KcpServers;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Counts the sessions whose events are handled on blocking threads. {@code @OnClose} methods run there after the session has closed, so
 * the application waits for these sessions when it stops, after its servers have closed and before its other beans are destroyed.
 */
final class BlockingSessions implements SmartLifecycle {

    /** After the servers have closed and before client sessions are closed, because {@code @OnClose} methods may use client sessions. */
    private static final int PHASE = KcpServers.START_STOP_LIFECYCLE_PHASE - 512;

    private int sessions;
    private boolean running;
    private @Nullable Runnable onAllEnded;

    /** Counts a session that has opened. */
    synchronized void begin() {
        sessions++;
    }

    /** Counts a session whose last event has been handled. */
    void end() {
        Runnable callback = null;
        synchronized (this) {
            if (--sessions == 0) {
                callback = onAllEnded;
                onAllEnded = null;
            }
        }
        if (callback != null) {
            callback.run();
        }
    }

    @Override
    public synchronized void start() {
        running = true;
    }

    @Override
    public void stop() {
        stop(() -> { });
    }

    /** Spring waits for the callback for at most {@code spring.lifecycle.timeout-per-shutdown-phase}. */
    @Override
    public void stop(Runnable callback) {
        synchronized (this) {
            running = false;
            if (sessions > 0) {
                onAllEnded = callback;
                return;
            }
        }
        callback.run();
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** Not paused with other beans, like the servers. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
