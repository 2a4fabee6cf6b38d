package io.kcp.bench;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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

    /**
     * Opens sessions until {@code total} sessions are open and each has made one round trip with a message of {@code messageBytes} bytes.
     * Passes each new session to {@code sessions} before it is open.
     */
    void open(int total, int messageBytes, Consumer<TimestampedSession> sessions) throws InterruptedException {
        while (opened < total) {
            acquire(1);
            TimestampedSession session = new TimestampedSession(load, messageBytes, true);
            session.onReturn(timestampNs -> permits.release());
            sessions.accept(session);
            load.open(session);
            opened++;
        }
        acquire(MAX_UNANSWERED);
        permits.release(MAX_UNANSWERED);
    }

    private void acquire(int count) throws InterruptedException {
        if (!permits.tryAcquire(count, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the server did not respond to " + (MAX_UNANSWERED - permits.availablePermits()) + " of "
                + opened + " sessions within " + TIMEOUT_SECONDS + " s");
        }
    }
}
