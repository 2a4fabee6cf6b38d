package io.kcp.netty.internal.roaming;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.internal.PlatformDependent;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Passes datagrams from the event loops of other sockets to the event loop of the socket whose session they belong to. The queue is
 * bounded, like the receive buffer of a socket. Datagrams from addresses that no session has may use only a quarter of the queue, so that
 * they cannot displace the datagrams of sessions.
 *
 * @param <R> the type of the routers, each of which receives the datagrams of one socket
 */
final class HandoverQueue<R> {

    /** A datagram, the router that received it, and the index of the key that decrypted it. */
    record Handed<R>(DatagramPacket packet, R via, int keyIndex) {
    }

    static final int CAPACITY = 4_096;
    private static final int MAX_PER_TASK = 256;

    private final EventLoop loop;
    private final Consumer<Handed<R>> receiver;
    private final Runnable onBatchEnd;
    private final Queue<Handed<R>> queue = PlatformDependent.newFixedMpscQueue(CAPACITY);
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Runnable drain = this::drain;

    /** Creates an empty queue. The receiver is called on the event loop and <b>takes</b> each datagram. */
    HandoverQueue(EventLoop loop, Consumer<Handed<R>> receiver, Runnable onBatchEnd) {
        this.loop = loop;
        this.receiver = receiver;
        this.onBatchEnd = onBatchEnd;
    }

    /**
     * Adds a datagram to the queue. Any thread may call this method.
     *
     * @param handed <b>taken</b> if this method returns {@code true}
     * @param known  {@code true} if the datagram comes from the address of a session
     * @return {@code false} if the queue is full
     */
    boolean offer(Handed<R> handed, boolean known) {
        if (!known && queue.size() >= CAPACITY / 4 || !queue.offer(handed)) {
            return false;
        }
        schedule();
        return true;
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                loop.execute(drain);
            } catch (RejectedExecutionException terminated) {
                discard();
            }
        }
    }

    /** Releases all datagrams of an event loop that has terminated. Until then, only that event loop reads the queue. */
    private synchronized void discard() {
        while (!queue.isEmpty()) {
            for (Handed<R> handed = queue.poll(); handed != null; handed = queue.poll()) {
                handed.packet.release();
            }
            scheduled.set(false);
        }
    }

    private void drain() {
        scheduled.set(false);
        try {
            for (int count = 0; count < MAX_PER_TASK; count++) {
                Handed<R> handed = queue.poll();
                if (handed == null) {
                    break;
                }
                receiver.accept(handed);
            }
        } finally {
            if (!queue.isEmpty()) {
                schedule();
            }
            onBatchEnd.run();
        }
    }
}
