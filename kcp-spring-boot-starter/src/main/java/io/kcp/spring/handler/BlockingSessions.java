package io.kcp.spring.handler;

import io.kcp.spring.KcpServers;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Counts the sessions that are not done with yet on threads that may block, and has the application wait for them when it ends, after
 * its servers and before its other beans: {@code @OnClose} comes after the session has closed.
 */
final class BlockingSessions implements SmartLifecycle {

    /** Lower than that of the servers, higher than that of client sessions, which methods may still use. */
    private static final int PHASE = KcpServers.START_STOP_PHASE - 512;

    private int sessions;
    private boolean running;
    private @Nullable Runnable onNone;

    synchronized void begin() {
        sessions++;
    }

    void end() {
        Runnable callback = null;
        synchronized (this) {
            if (--sessions == 0) {
                callback = onNone;
                onNone = null;
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

    /** Spring waits for the callback for as long as {@code spring.lifecycle.timeout-per-shutdown-phase}. */
    @Override
    public void stop(Runnable callback) {
        synchronized (this) {
            running = false;
            if (sessions > 0) {
                onNone = callback;
                return;
            }
        }
        callback.run();
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** As the servers are. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
