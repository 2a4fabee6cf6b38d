package io.kcp.netty;

import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the writes of a session, from the outbound queue to acceptance by KCP, and knows who waits for the acknowledgement
 * of which. A write that never was accepted, refused or cancelled, counts for nobody.
 */
final class WriteLedger {

    private static final int MIN_CAPACITY = 16;

    /** Someone who waits until so many writes have left the queue, and what was accepted by then is acknowledged. */
    private static final class Waiter {
        final long writes;
        final ChannelPromise promise;
        long bytes;

        Waiter(long writes, ChannelPromise promise) {
            this.writes = writes;
            this.promise = promise;
        }
    }

    /** Sizes of the writes in the queue, which itself forgets that of a cancelled one. */
    private int[] queued = {};
    private long firstQueued;
    private long nextQueued;
    private long queuedBytes;
    private long acceptedBytes;
    /** Those whose writes are still in the queue, and then those whose bytes are known; both in the order in which they came. */
    private @Nullable ArrayDeque<Waiter> undecided;
    private @Nullable ArrayDeque<Waiter> waiters;

    void onQueued(int bytes) {
        if (nextQueued - firstQueued == queued.length) {
            grow();
        }
        queued[(int) nextQueued++ & queued.length - 1] = bytes;
        queuedBytes += bytes;
    }

    /** Notes that KCP has taken bytes of the first write in the queue. */
    void onAccepted(int bytes) {
        queued[(int) firstQueued & queued.length - 1] -= bytes;
        queuedBytes -= bytes;
        acceptedBytes += bytes;
    }

    /** Notes that the first write has left the queue; what KCP had not taken of it is gone. */
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

    /** Returns the bytes of writes that KCP has not accepted yet. */
    long queuedBytes() {
        return queuedBytes;
    }

    /** Returns how much is missing when the peer has acknowledged so much. */
    long unacknowledgedBytes(long acknowledgedBytes) {
        return queuedBytes + acceptedBytes - acknowledgedBytes;
    }

    void awaitAll(ChannelPromise promise) {
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

    /** Tells those whose bytes are all acknowledged. */
    void complete(long acknowledgedBytes) {
        ArrayDeque<Waiter> queue = waiters;
        if (queue == null) {
            return;
        }
        for (Waiter first = queue.peek(); first != null && first.bytes <= acknowledgedBytes; first = queue.peek()) {
            queue.remove();
            first.promise.trySuccess();
        }
    }

    void fail(Supplier<Throwable> cause) {
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
