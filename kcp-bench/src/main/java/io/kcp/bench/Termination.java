package io.kcp.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Ends a load program: interrupts its main thread, which created this object, when a session fails or standard input ends. */
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

    /** Ignores later failures, such as those of sessions that the shutdown of the event loops closes. Called by the main thread. */
    void finish() {
        end.complete(null);
    }

    /** Waits until standard input ends; throws the failure if there is one. */
    void await() {
        try {
            end.join();
        } catch (CompletionException failure) {
            throw new IllegalStateException("the load failed", failure.getCause());
        }
    }
}
