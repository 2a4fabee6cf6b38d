package io.kcp.spring.handler;

import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Suspends reading from a session while too many of its messages are in flight or the session is not writable. A message is in
 * flight until its method has returned and the future that the method returned, if any, is done.
 *
 * <p>The gate does not change auto-read. It only defers read requests, and repeats a deferred request as soon as reading may continue.
 */
final class ReadGate {

    private final ChannelHandlerContext context;
    private final int limit;
    private final int resumeAt;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile boolean deferred;
    private volatile @Nullable Runnable onIdle;
    private boolean shut;

    /**
     * Creates an open gate.
     *
     * @param context the context of the handler that passes read requests on
     * @param limit   maximum number of messages in flight, at least 1
     */
    ReadGate(ChannelHandlerContext context, int limit) {
        this.context = context;
        this.limit = limit;
        resumeAt = limit / 2;
    }

    /** Increments the number of events and futures in flight. Any thread may call this method. */
    void enter() {
        inFlight.incrementAndGet();
    }

    /** Decrements the number of events and futures in flight. Called on any thread after the response has been written. */
    void leave() {
        int left = inFlight.decrementAndGet();
        if (deferred && left == resumeAt) {
            runOnLoop(this::resume);
        }
        Runnable action = onIdle;
        if (left == 0 && action != null) {
            runOnLoop(action);
        }
    }

    /** Queues a task on the event loop, even if the caller runs on that event loop. Any thread may call this method. */
    void runOnLoop(Runnable task) {
        try {
            context.executor().execute(task);
        } catch (RejectedExecutionException terminated) {
            // Ignores the task, because the event loop has terminated and the session is closed.
        }
    }

    /** Returns {@code true} if the maximum number of messages is in flight. Any thread may call this method. */
    boolean isFull() {
        return inFlight.get() >= limit;
    }

    /** Returns {@code true} if no message is in flight. Any thread may call this method. */
    boolean isIdle() {
        return inFlight.get() == 0;
    }

    /** Returns {@code true} if a read request may be forwarded, and defers the request otherwise. Called on the event loop. */
    boolean tryRead() {
        if (isOpen()) {
            return true;
        }
        deferred = true;
        // Checks again, because another thread may have finished handling a message without seeing the deferred request.
        if (isOpen()) {
            deferred = false;
            return true;
        }
        return false;
    }

    private boolean isOpen() {
        return !shut && !isFull() && context.channel().isWritable();
    }

    /**
     * Repeats a deferred read request if reading may continue. Called on the event loop.
     *
     * @return {@code true} if a request was repeated
     */
    boolean resume() {
        if (deferred && isOpen()) {
            deferred = false;
            context.read();
            return true;
        }
        return false;
    }

    /** Returns {@code true} if a read request is deferred and the gate has not been shut. Called on the event loop. */
    boolean hasDeferredRead() {
        return deferred && !shut;
    }

    /** Sets an action that runs on the event loop each time the number of messages in flight drops to zero. Called on the event loop. */
    void onIdle(Runnable action) {
        onIdle = action;
    }

    /** Suspends reading from the session permanently. Called on the event loop. */
    void shut() {
        shut = true;
    }
}
