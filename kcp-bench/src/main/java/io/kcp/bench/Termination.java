package io.kcp.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Interrupts the main thread of a load program when a session fails or standard input ends. The main thread must create this object. */
final class Termination {

    private final Thread mainThread = Thread.currentThread();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    void inputEnded() {
        if (end.complete(null)) {
            mainThread.interrupt();
        }
    }

    void fail(Throwable cause) {
        if (end.completeExceptionally(cause)) {
            mainThread.interrupt();
        }
    }

    /**
     * Ignores all failures from now on, such as those of sessions that are closed because their event loops shut down. Called by the main
     * thread.
     */
    void finish() {
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
