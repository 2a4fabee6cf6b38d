package io.kcp.netty.session;

import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of a session's writes from the outbound queue to acknowledgement, and completes the promises that wait until the
 * writes before them are acknowledged. Promises do not wait for writes that fail or are cancelled before KCP has accepted them.
 */
public final class WriteLedger {

    private static final int MIN_CAPACITY = 16;

    /** A promise to complete when {@code writes} writes have left the queue and all bytes accepted by then are acknowledged. */
    private static final class Waiter {
        final long writes;
        final ChannelPromise promise;
        long bytes;

        Waiter(long writes, ChannelPromise promise) {
            this.writes = writes;
            this.promise = promise;
        }
    }

    /** Sizes of the queued writes, stored here because Netty's queue forgets the size of a cancelled write. */
    private int[] queued = {};
    private long firstQueued;
    private long nextQueued;
    private long queuedBytes;
    private long acceptedBytes;
    /** Waiters with writes in the queue ({@code undecided}), and waiters whose byte count is final; both in order of arrival. */
    private @Nullable ArrayDeque<Waiter> undecided;
    private @Nullable ArrayDeque<Waiter> waiters;

    /** Counts a write that was added to the queue. */
    void onQueued(int bytes) {
        if (nextQueued - firstQueued == queued.length) {
            grow();
        }
        queued[(int) nextQueued++ & queued.length - 1] = bytes;
        queuedBytes += bytes;
    }

    /** Counts bytes of the first queued write that KCP has accepted. */
    void onAccepted(int bytes) {
        queued[(int) firstQueued & queued.length - 1] -= bytes;
        queuedBytes -= bytes;
        acceptedBytes += bytes;
    }

    /** Removes the first write. Its bytes that KCP has not accepted are no longer counted. */
    void onDequeued() {
        queuedBytes -= queued[(int) firstQueued & queued.length - 1];
        firstQueued++;
        if (firstQueued == nextQueued && queued.length > MIN_CAPACITY) {
            queued = new int[0];
        }
        ArrayDeque<Waiter> queue = undecided;
        if (queue != null) {
            for (Waiter first = queue.peek(); first != null && first.writes <= firstQueued; first = queue.peek()) {
                first.bytes = acceptedBytes;
                decided().add(queue.remove());
            }
        }
    }

    /** Returns the number of queued bytes, which KCP has not accepted yet. */
    long queuedBytes() {
        return queuedBytes;
    }

    /** Returns the number of queued or accepted bytes that are not among the {@code acknowledgedBytes}. */
    public long unacknowledgedBytes(long acknowledgedBytes) {
        return queuedBytes + acceptedBytes - acknowledgedBytes;
    }

    /** Completes a promise when all writes so far are acknowledged. */
    public void awaitAll(ChannelPromise promise) {
        Waiter waiter = new Waiter(nextQueued, promise);
        if (firstQueued == nextQueued) {
            waiter.bytes = acceptedBytes;
            decided().add(waiter);
            return;
        }
        ArrayDeque<Waiter> queue = undecided;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            undecided = queue;
        }
        queue.add(waiter);
    }

    private ArrayDeque<Waiter> decided() {
        ArrayDeque<Waiter> queue = waiters;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            waiters = queue;
        }
        return queue;
    }

    /** Completes the promises whose bytes are all acknowledged. */
    public void complete(long acknowledgedBytes) {
        ArrayDeque<Waiter> queue = waiters;
        if (queue == null) {
            return;
        }
        for (Waiter first = queue.peek(); first != null && first.bytes <= acknowledgedBytes; first = queue.peek()) {
            queue.remove();
            first.promise.trySuccess();
        }
    }

    /** Fails all promises that are not completed. */
    public void fail(Supplier<Throwable> cause) {
        ArrayDeque<Waiter> known = waiters;
        ArrayDeque<Waiter> unknown = undecided;
        waiters = null;
        undecided = null;
        fail(known, cause);
        fail(unknown, cause);
    }

    private static void fail(@Nullable ArrayDeque<Waiter> waiters, Supplier<Throwable> cause) {
        if (waiters != null) {
            waiters.forEach(waiter -> waiter.promise.tryFailure(cause.get()));
        }
    }

    private void grow() {
        int[] old = queued;
        int[] larger = Arrays.copyOf(old, Math.max(MIN_CAPACITY, 2 * old.length));
        for (long i = firstQueued; i < nextQueued; i++) {
            larger[(int) i & larger.length - 1] = old[(int) i & old.length - 1];
        }
        queued = larger;
    }
}
