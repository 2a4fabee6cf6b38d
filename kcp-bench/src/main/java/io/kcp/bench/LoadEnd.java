package io.kcp.bench;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The end of a load program, whatever comes first: it fails, or nobody listens any more. Whoever waits, waits here.
 */
final class LoadEnd {

    private final CompletableFuture<Void> end = new CompletableFuture<>();

    /** There will be no more lines on standard input. */
    void inputEnded() {
        end.cancel(false);
    }

    void failed(Throwable cause) {
        end.completeExceptionally(cause);
    }

    /** Lets time pass. Throws the failure, or {@link CancellationException} if standard input ended. */
    void pause(double seconds) {
        long nanos = (long) (seconds * 1e9);
        try {
            end.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException timePassed) {
            return;
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted", interrupted);
        }
    }

    /** Waits for something; throws as {@link #pause} does. */
    void await(CompletableFuture<?> event) {
        try {
            CompletableFuture.anyOf(end, event).get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof CancellationException inputEnded) {
                throw inputEnded;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted", interrupted);
        }
    }

    /** Waits until standard input ends. */
    void await() {
        try {
            await(end);
        } catch (CancellationException inputEnded) {
            return;
        }
    }
}
