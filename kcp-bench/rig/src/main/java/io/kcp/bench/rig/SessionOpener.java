package io.kcp.bench.rig;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Opens many sessions, and limits the number of sessions that are waiting for their first response at any time. */
final class SessionOpener {

    private static final int MAX_UNANSWERED = 64;
    private static final long TIMEOUT_SECONDS = 30;

    private final Load load;
    private final Semaphore permits = new Semaphore(MAX_UNANSWERED);
    private int opened;

    SessionOpener(Load load) {
        this.load = load;
    }

    int opened() {
        return opened;
    }

    /**
     * Opens sessions until {@code total} sessions are open, and waits until each has sent a message of {@code messageBytes} bytes and
     * received its echo. Passes each new session to {@code sessions} before it is open.
     */
    void open(int total, int messageBytes, Consumer<TimedSession> sessions) throws InterruptedException {
        byte[] message = Load.block(messageBytes);
        while (opened < total) {
            acquire(1);
            TimedSession session = new TimedSession(load, messageBytes).withFirstRoundTrip(message, permits::release);
            sessions.accept(session);
            load.connect(session);
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
