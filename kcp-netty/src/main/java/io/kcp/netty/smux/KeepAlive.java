package io.kcp.netty.smux;

import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends NOP frames, and closes the parent channel if no frame was received during a whole timeout interval. */
final class KeepAlive {

    private final SmuxSession session;
    private @Nullable Future<?> sending;
    private @Nullable Future<?> checking;
    private boolean active;
    private boolean started;

    KeepAlive(SmuxSession session) {
        this.session = session;
    }

    void onActivity() {
        active = true;
    }

    void start() {
        if (started || session.isClosed()) {
            return;
        }
        started = true;
        sending = every(session.settings().keepAliveIntervalMs(), () -> session.scheduler().addNop());
        checking = every(session.settings().keepAliveTimeoutMs(), this::check);
    }

    private @Nullable Future<?> every(int intervalMs, Runnable task) {
        return intervalMs == 0 ? null
            : session.parent().eventLoop().scheduleWithFixedDelay(task, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    }

    private void check() {
        // The handler reads no frames while the receive buffer is full, so a missing frame does not show that the peer is gone.
        if (!active && !session.isReceiveBufferFull()) {
            session.fail(new SmuxException(SmuxError.KEEPALIVE_TIMEOUT, session.parent() + " ("
                + session.settings().keepAliveTimeoutMs() + " ms)"));
        }
        active = false;
    }

    void stop() {
        started = true;
        cancel(sending);
        cancel(checking);
    }

    private static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }
}
