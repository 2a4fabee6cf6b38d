package io.kcp.netty;

import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts the bytes that a session was given to write, and knows who waits for the acknowledgement of how many. */
final class WriteLedger {

    /** A promise and the count of bytes that has to be reached for it. */
    private record Waiter(long bytes, ChannelPromise promise) {
    }

    private long writtenBytes;
    private long discardedBytes;
    private @Nullable ArrayDeque<Waiter> waiters;

    void onWritten(int bytes) {
        writtenBytes += bytes;
    }

    /** Notes that something written was refused later; nobody need wait for it. */
    void onDiscarded(int bytes) {
        discardedBytes += bytes;
    }

    /** Returns how much is missing when the peer has acknowledged so much. */
    long unacknowledgedBytes(long acknowledgedBytes) {
        return writtenBytes - discardedBytes - acknowledgedBytes;
    }

    void awaitAll(ChannelPromise promise) {
        ArrayDeque<Waiter> queue = waiters;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            waiters = queue;
        }
        queue.add(new Waiter(writtenBytes, promise));
    }

    /** Tells those whose bytes are all acknowledged. */
    void complete(long acknowledgedBytes) {
        ArrayDeque<Waiter> queue = waiters;
        if (queue == null) {
            return;
        }
        long doneBytes = discardedBytes + acknowledgedBytes;
        for (Waiter first = queue.peek(); first != null && first.bytes <= doneBytes; first = queue.peek()) {
            queue.remove();
            first.promise.trySuccess();
        }
    }

    void fail(Supplier<Throwable> cause) {
        ArrayDeque<Waiter> queue = waiters;
        if (queue != null) {
            waiters = null;
            queue.forEach(waiter -> waiter.promise.tryFailure(cause.get()));
        }
    }
}
