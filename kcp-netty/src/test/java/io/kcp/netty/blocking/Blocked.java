package io.kcp.netty.blocking;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A call in a thread of its own, which a test can observe while it is blocked. */
final class Blocked<T> {

    private static final int PATIENCE_S = 30;

    private final FutureTask<T> task;
    private final Thread thread;

    private Blocked(Callable<T> call) {
        task = new FutureTask<>(call);
        thread = new Thread(task, "blocked");
        thread.setDaemon(true);
        thread.start();
    }

    /** Starts a call. */
    static <T> Blocked<T> start(Callable<T> call) {
        return new Blocked<>(call);
    }

    /** Starts a call and waits until its thread is blocked. */
    static <T> Blocked<T> untilBlocked(Callable<T> call) {
        Blocked<T> blocked = new Blocked<>(call);
        blocked.awaitBlocked();
        return blocked;
    }

    void awaitBlocked() {
        await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofSeconds(PATIENCE_S)).until(this::isBlocked);
    }

    void awaitBlockedOrDone() {
        await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> isBlocked() || isDone());
    }

    private boolean isBlocked() {
        Thread.State state = thread.getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return task.isDone();
    }

    T result() throws Exception {
        return task.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    /** Returns the exception that the call throws. */
    Throwable failure() throws Exception {
        try {
            T result = result();
            throw new AssertionError("did not fail, but returned " + result);
        } catch (ExecutionException failed) {
            return failed.getCause();
        }
    }
}
