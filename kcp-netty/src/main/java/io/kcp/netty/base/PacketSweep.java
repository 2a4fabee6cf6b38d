package io.kcp.netty.base;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Periodically discards the packets of one event executor that have received no byte for the timeout. A sweep examines each packet once. It
 * is divided into tasks, so that the packets of an attacker that time out together do not occupy the executor.
 */
final class PacketSweep {

    /** A packet is discarded after it has received no byte in this number of consecutive intervals between two sweeps. */
    static final int STALE_SWEEPS = 3;
    /** Maximum number of packets that one task discards. Closing that many channels takes some milliseconds. */
    static final int DISCARDED_PER_TASK = 256;
    /** Maximum number of packets that one task examines. */
    private static final int EXAMINED_PER_TASK = 16_384;
    /** Delay between two tasks of a sweep. The event loop reads its sockets before it runs a task with a delay. */
    private static final int PAUSE_MS = 1;

    private final EventExecutor executor;
    private final long timeoutMs;
    /** The packets that the current sweep has not examined yet. */
    private Chain<IncompletePacket> waiting = new Chain<>();
    private Chain<IncompletePacket> examined = new Chain<>();
    private boolean scheduled;

    PacketSweep(EventExecutor executor, long timeoutMs) {
        this.executor = executor;
        this.timeoutMs = timeoutMs;
    }

    /** Adds a packet, which the next sweep examines. */
    void add(IncompletePacket packet) {
        examined.add(packet.sweepLink());
    }

    /** Removes a packet that {@link #add} has added. */
    void remove(IncompletePacket packet) {
        Chain.Link<IncompletePacket> link = packet.sweepLink();
        (link.isIn(waiting) ? waiting : examined).remove(link);
    }

    /** Schedules the next sweep, unless a sweep is scheduled or the timeout is off. */
    void schedule() {
        if (timeoutMs > 0) {
            schedule(Math.max(1, timeoutMs / STALE_SWEEPS));
        }
    }

    private void schedule(long delayMs) {
        if (scheduled || executor.isShuttingDown()) {
            return;
        }
        try {
            executor.schedule(this::run, delayMs, TimeUnit.MILLISECONDS);
            scheduled = true;
        } catch (RejectedExecutionException | OutOfMemoryError rejected) {
            // The next packet that grows schedules the sweep. The channels of a terminated executor release their packets.
        }
    }

    private void run() {
        scheduled = false;
        if (waiting.isEmpty()) {
            Chain<IncompletePacket> all = examined;
            examined = waiting;
            waiting = all;
        }
        try {
            sweep();
        } finally {
            if (!waiting.isEmpty()) {
                schedule(PAUSE_MS);
            } else if (!examined.isEmpty()) {
                schedule();
            }
        }
    }

    private void sweep() {
        int discarded = 0;
        for (int i = 0; i < EXAMINED_PER_TASK && discarded < DISCARDED_PER_TASK; i++) {
            @Nullable IncompletePacket packet = waiting.first();
            if (packet == null) {
                return;
            }
            waiting.remove(packet.sweepLink());
            examined.add(packet.sweepLink());
            if (packet.isStale()) {
                packet.discard(IncompletePacket.Cause.TIMEOUT,
                    "The peer sent a part of a packet, and then nothing for " + timeoutMs + " ms.");
                discarded++;
            }
        }
    }
}
