package io.kcp.bench.rig;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Interrupts the main thread of a load program when a session fails or standard input ends. The main thread must create this object. */
public final class Termination {

    private final Thread mainThread = Thread.currentThread();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    void inputEnded() {
        if (end.complete(null)) {
            mainThread.interrupt();
        }
    }

    /** Ends the program with an error, unless it has already ended or has its result. */
    public void fail(Throwable cause) {
        if (end.completeExceptionally(cause)) {
            mainThread.interrupt();
        }
    }

    /** Ignores all failures from now on, such as those of sessions that are closed because their event loops shut down. */
    public void finish() {
        end.complete(null);
    }

    /** Waits until standard input ends, and throws an exception if the program has failed. */
    void await() {
        try {
            end.join();
        } catch (CompletionException failure) {
            throw new IllegalStateException("the load program failed", failure.getCause());
        }
    }
}
