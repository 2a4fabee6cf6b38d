package io.kcp.bench;

import io.netty.channel.ChannelHandler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Opens many sessions, and limits the number of sessions that are waiting for their first response at any time. */
final class SessionOpener {

    private static final int MAX_UNANSWERED = 256;
    private static final long TIMEOUT_SECONDS = 30;

    private final LoadContext load;
    private final Semaphore permits = new Semaphore(MAX_UNANSWERED);
    private int opened;

    SessionOpener(LoadContext load) {
        this.load = load;
    }

    int opened() {
        return opened;
    }

    /** Opens sessions until {@code total} sessions are open and the handler of each has called {@link #answered()}. */
    void open(int total, Supplier<? extends ChannelHandler> handlers) throws InterruptedException {
        while (opened < total) {
            acquire(1);
            load.open(handlers.get());
            opened++;
        }
        acquire(MAX_UNANSWERED);
        permits.release(MAX_UNANSWERED);
    }

    /** Called by each session's handler when the session has received its first response. */
    void answered() {
        permits.release();
    }

    private void acquire(int count) throws InterruptedException {
        if (!permits.tryAcquire(count, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the server did not respond to " + (MAX_UNANSWERED - permits.availablePermits()) + " of "
                + opened + " sessions within " + TIMEOUT_SECONDS + " s");
        }
    }
}
