package io.kcp.spring.handler;

import io.kcp.spring.KcpServers;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Counts the sessions whose events are handled on threads that may block, so that a stopping application can wait for the last event of
 * each session. Because an {@code @OnClose} method runs on such a thread after its session has closed, the application waits after its
 * servers have closed and before its other beans are destroyed.
 */
final class BlockingSessions implements SmartLifecycle {

    /**
     * Lifecycle phase that stops after the servers have closed and before the client sessions are closed, because {@code @OnClose} methods
     * may use client sessions.
     */
    private static final int PHASE = KcpServers.START_STOP_LIFECYCLE_PHASE - 512;

    private int sessions;
    private boolean running;
    private @Nullable Runnable onAllEnded;

    /** Increments the number of sessions. Called when a session has opened. */
    synchronized void begin() {
        sessions++;
    }

    /** Decrements the number of sessions. Called after the last event of a session has been handled. */
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

    /**
     * Runs the callback after all sessions have handled their last events. Spring waits for at most
     * {@code spring.lifecycle.timeout-per-shutdown-phase}.
     */
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

    /** Returns {@code false}, because servers are not paused with the application context either. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
