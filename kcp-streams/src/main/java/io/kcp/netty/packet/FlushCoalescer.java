package io.kcp.netty.packet;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Combines the flushes of many small writes into one. A flush is deferred until no further flush has been requested for a short delay,
 * but no longer than a maximum delay after the first deferred request. A flush can be up to 0.25 ms late, because the timer that the
 * channels of an event loop share runs at most once in that time.
 *
 * <p>Deferred data is flushed immediately when the channel becomes unwritable, is closed or deregistered, or when this handler is removed.
 * The handler must be placed before the handlers that write, next to the transport. Each channel needs its own instance. A deferred flush
 * allocates no memory.
 */
public final class FlushCoalescer extends ChannelDuplexHandler {

    /** Default delay after the last flush request, the same as in go-packetconn. */
    public static final int DEFAULT_DELAY_MS = 1;
    /** Default maximum delay after the first deferred flush request, the same as in go-packetconn. */
    public static final int DEFAULT_MAX_DELAY_MS = 10;

    private final long delayNanos;
    private final long maxDelayNanos;
    private @Nullable ChannelHandlerContext pending;
    private long firstRequestNanos;
    private long lastRequestNanos;
    /** The timer that contains this coalescer, or null. */
    private @Nullable FlushTimer timer;
    private long queuedForNanos;

    /** Creates a handler that flushes 1 ms after the last flush request, but at most 10 ms after the first. */
    public FlushCoalescer() {
        this(DEFAULT_DELAY_MS, DEFAULT_MAX_DELAY_MS, TimeUnit.MILLISECONDS);
    }

    /**
     * Creates a handler.
     *
     * @param delay the delay after the last flush request; 0 flushes immediately
     * @param maxDelay the maximum delay after the first deferred flush request; 0 flushes immediately
     * @param unit the unit of both delays
     * @throws IllegalArgumentException if a delay is negative
     */
    public FlushCoalescer(long delay, long maxDelay, TimeUnit unit) {
        delayNanos = unit.toNanos(notNegative("delay", delay));
        maxDelayNanos = unit.toNanos(notNegative("maxDelay", maxDelay));
    }

    private static long notNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + ": " + value + ", must not be negative");
        }
        return value;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (delayNanos == 0 || maxDelayNanos == 0 || !context.channel().isWritable()) {
            pending = null;
            context.flush();
            return;
        }
        lastRequestNanos = context.executor().ticker().nanoTime();
        if (pending == null) {
            pending = context;
            firstRequestNanos = lastRequestNanos;
        }
        if (timer == null) {
            enqueue(FlushTimer.of(context.executor()));
        }
    }

    private void enqueue(FlushTimer target) {
        queuedForNanos = dueNanos();
        timer = target;
        target.add(this);
    }

    private long dueNanos() {
        long afterLast = lastRequestNanos + delayNanos;
        long afterFirst = firstRequestNanos + maxDelayNanos;
        return afterLast - afterFirst < 0 ? afterLast : afterFirst;
    }

    /** Returns the time at which the timer calls {@link #onDue}. */
    long queuedForNanos() {
        return queuedForNanos;
    }

    /**
     * Flushes the deferred data. If a later request has moved the due time, adds this coalescer to the timer again instead. The timer
     * removes the coalescer before the call.
     */
    void onDue(long nowNanos) {
        FlushTimer caller = timer;
        timer = null;
        if (pending == null || caller == null) {
            return;
        }
        if (dueNanos() - nowNanos > 0) {
            enqueue(caller);
        } else {
            flushPending();
        }
    }

    private void flushPending() {
        ChannelHandlerContext context = pending;
        if (context != null) {
            pending = null;
            context.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!context.channel().isWritable()) {
            flushPending();
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        flushPending();
        context.close(promise);
    }

    @Override
    public void disconnect(ChannelHandlerContext context, ChannelPromise promise) {
        flushPending();
        context.disconnect(promise);
    }

    /**
     * Flushes the deferred data, and removes this coalescer from the timer, because the channel may be registered with another event
     * loop.
     */
    @Override
    public void deregister(ChannelHandlerContext context, ChannelPromise promise) {
        flushPending();
        if (timer != null) {
            timer.remove(this);
            timer = null;
        }
        context.deregister(promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        pending = null;
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        flushPending();
    }
}
