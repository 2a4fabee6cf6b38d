package io.kcp.spring.handler;

import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Holds back reading of a session while too much of what was read is not answered yet, or answers are not taken. Auto-read
 * stays the user's: only what it asks for is held back.
 */
final class ReadGate {

    private final ChannelHandlerContext context;
    private final int limit;
    private final int resumeAt;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile boolean held;
    private volatile @Nullable Runnable whenIdle;
    private boolean shut;

    /**
     * Creates an open gate.
     *
     * @param context of the handler whose reads are held back
     * @param limit   how much may be in flight, at least 1
     */
    ReadGate(ChannelHandlerContext context, int limit) {
        this.context = context;
        this.limit = limit;
        resumeAt = limit / 2;
    }

    /** Counts something in; any thread. */
    void enter() {
        inFlight.incrementAndGet();
    }

    /** Counts something out, whose answer was written before; any thread. */
    void leave() {
        if (whenIdle == null) {
            countOut();
        } else {
            // In its turn: what other threads have written before is not written until the event loop has come to it.
            onLoop(this::countOut);
        }
    }

    private void countOut() {
        int left = inFlight.decrementAndGet();
        if (held && left == resumeAt) {
            onLoop(this::resume);
        }
        Runnable action = whenIdle;
        if (left == 0 && action != null) {
            onLoop(action);
        }
    }

    /** Has an action run by the event loop in a turn of its own, unless that has ended. Any thread. */
    void onLoop(Runnable task) {
        try {
            context.executor().execute(task);
        } catch (RejectedExecutionException ended) {
            // There is nothing to read any more.
        }
    }

    /** Tells whether no more may come in that can be dropped. */
    boolean isFull() {
        return inFlight.get() >= limit;
    }

    /** Asks whether a read may go on. If not, it goes on later by itself. On the event loop. */
    boolean mayRead() {
        if (isOpen()) {
            return true;
        }
        held = true;
        // Others may have left after the first look and not seen that they should resume.
        if (isOpen()) {
            held = false;
            return true;
        }
        return false;
    }

    private boolean isOpen() {
        return !shut && !isFull() && context.channel().isWritable();
    }

    /**
     * Lets a read go on that was held back, if it may. On the event loop.
     *
     * @return whether it did
     */
    boolean resume() {
        if (held && isOpen()) {
            held = false;
            context.read();
            return true;
        }
        return false;
    }

    /** Tells whether a read was asked for that may go on later. On the event loop. */
    boolean isHolding() {
        return held && !shut;
    }

    /** Tells whether nothing is in flight, nor, after {@link #whenIdle}, an answer on its way to the event loop. */
    boolean isIdle() {
        return inFlight.get() == 0;
    }

    /** From now on has an action run on the event loop whenever nothing is in flight any more. On the event loop. */
    void whenIdle(Runnable action) {
        whenIdle = action;
    }

    /** Lets nothing be read any more. On the event loop. */
    void shut() {
        shut = true;
    }
}
