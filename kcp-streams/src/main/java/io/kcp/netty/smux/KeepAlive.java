package io.kcp.netty.smux;

import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends NOP frames, and closes the parent channel if no frame was received during a whole timeout interval. */
final class KeepAlive {

    private final SmuxContext link;
    private @Nullable Future<?> sending;
    private @Nullable Future<?> checking;
    private boolean active;
    private boolean started;

    KeepAlive(SmuxContext link) {
        this.link = link;
    }

    void onActivity() {
        active = true;
    }

    void start() {
        if (started || link.isClosed()) {
            return;
        }
        started = true;
        sending = every(link.settings().keepAliveIntervalMs(), () -> link.scheduler().addNop());
        checking = every(link.settings().keepAliveTimeoutMs(), this::check);
    }

    private @Nullable Future<?> every(int intervalMs, Runnable task) {
        return intervalMs == 0 ? null
            : link.parent().eventLoop().scheduleWithFixedDelay(task, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    }

    private void check() {
        // The handler reads no frames while the receive buffer is full, so a missing frame does not show that the peer is gone.
        if (!active && !link.isReceiveBufferFull()) {
            link.fail(new SmuxException(SmuxError.KEEPALIVE_TIMEOUT, link.parent() + " ("
                + link.settings().keepAliveTimeoutMs() + " ms)"));
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
