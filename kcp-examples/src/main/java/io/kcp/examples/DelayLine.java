package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Delays each datagram until its due time. Not thread-safe: all methods except {@link #latestNanos} are called on the event loop. */
final class DelayLine {

    private record Held(long dueNanos, long order, ByteBuf content, Channel out, InetSocketAddress recipient) {
    }

    private final EventLoop loop;
    private final PriorityQueue<Held> held = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.dueNanos - b.dueNanos, 0);
        return byTime != 0 ? byTime : Long.compare(a.order, b.order);
    });
    private long order;
    private @Nullable Future<?> timer;
    private long timerNanos;
    private boolean released;
    private volatile long latestNanos;

    DelayLine(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Writes a datagram to a channel at {@code dueNanos}, or drops it if the channel is not writable at that time. Takes ownership of the
     * content.
     */
    void hold(long dueNanos, ByteBuf content, Channel out, InetSocketAddress recipient) {
        if (released) {
            content.release();
            return;
        }
        held.add(new Held(dueNanos, order++, content, out, recipient));
        startTimer();
    }

    /** Returns the maximum delay with which a datagram was sent after its due time. May be called from any thread. */
    long latestNanos() {
        return latestNanos;
    }

    /** Releases all delayed datagrams. Datagrams passed to {@link #hold} after this call are released immediately. */
    void release() {
        released = true;
        if (timer != null) {
            timer.cancel(false);
        }
        held.forEach(one -> one.content.release());
        held.clear();
    }

    private void startTimer() {
        Held first = held.peek();
        if (first == null || timer != null && timerNanos - first.dueNanos <= 0) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerNanos = first.dueNanos;
        timer = loop.schedule(this::onTimer, first.dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void onTimer() {
        timer = null;
        long nowNanos = System.nanoTime();
        latestNanos = Math.max(latestNanos, nowNanos - timerNanos);
        for (Held first = held.peek(); first != null && first.dueNanos - nowNanos <= 0; first = held.peek()) {
            held.remove();
            if (first.out.isWritable()) {
                first.out.writeAndFlush(new DatagramPacket(first.content, first.recipient), first.out.voidPromise());
            } else {
                first.content.release();
            }
        }
        startTimer();
    }
}
