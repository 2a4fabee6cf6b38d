package io.kcp.netty.internal.session;

import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the written bytes of a session until they are acknowledged, and completes promises that wait for acknowledgements. Promises do not
 * wait for writes that fail or are cancelled before KCP has accepted them.
 */
public final class WriteLedger {

    private static final int MIN_CAPACITY = 16;

    /**
     * A promise that completes when a given total number of writes have left the queue and all bytes accepted until then are acknowledged.
     */
    private static final class Waiter {
        final long writes;
        final ChannelPromise promise;
        long bytes;

        Waiter(long writes, ChannelPromise promise) {
            this.writes = writes;
            this.promise = promise;
        }
    }

    /** Sizes of the queued writes in bytes, which are stored here because Netty's queue does not keep the size of a cancelled write. */
    private int[] queued = {};
    private long firstQueued;
    private long nextQueued;
    private long queuedBytes;
    private long acceptedBytes;
    /** Promises that wait for writes still in the queue, in order of arrival. */
    private @Nullable ArrayDeque<Waiter> undecided;
    /** Promises that wait only for acknowledgements, in order of arrival. */
    private @Nullable ArrayDeque<Waiter> waiters;

    /** Counts a write that was added to the queue. */
    void onQueued(int bytes) {
        if (nextQueued - firstQueued == queued.length) {
            grow();
        }
        queued[(int) nextQueued++ & queued.length - 1] = bytes;
        queuedBytes += bytes;
    }

    /** Counts bytes that KCP has accepted from the first queued write. */
    void onAccepted(int bytes) {
        queued[(int) firstQueued & queued.length - 1] -= bytes;
        queuedBytes -= bytes;
        acceptedBytes += bytes;
    }

    /** Removes the first write from the queue. Its bytes that KCP has not accepted are no longer counted. */
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

    /** Returns the number of queued bytes that KCP has not accepted yet. */
    long queuedBytes() {
        return queuedBytes;
    }

    /** Returns the number of written bytes that the peer has not acknowledged, given the number of acknowledged bytes. */
    public long unacknowledgedBytes(long acknowledgedBytes) {
        return queuedBytes + acceptedBytes - acknowledgedBytes;
    }

    /** Completes a promise as soon as all writes before this call are acknowledged. */
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

    /** Completes the promises whose writes have all been acknowledged, given the total number of acknowledged bytes of the session. */
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
