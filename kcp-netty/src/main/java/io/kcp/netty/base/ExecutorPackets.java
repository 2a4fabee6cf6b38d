package io.kcp.netty.base;

import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The incomplete packets of the connections of one event executor. The connections are listed by the memory that their packets use,
 * rounded down to a power of two. If memory is short, the connections with the most memory lose their packets first. Among connections
 * with similar amounts of memory, the one whose amount has not changed for the longest time loses its packets first.
 */
final class ExecutorPackets {

    /** Maximum number of connections whose packets one task discards. */
    private static final int CONNECTIONS_PER_TASK = 256;
    /** A packet is discarded after it has received no byte in this number of consecutive intervals between two sweeps. */
    static final int STALE_SWEEPS = 3;

    private final IncompletePackets memory;
    private final EventExecutor executor;
    /** The lists of connections, indexed by the binary logarithm of their memory in bytes. */
    private final List<Chain<PeerPackets>> bySize = Stream.generate(Chain<PeerPackets>::new).limit(Long.SIZE).toList();
    /** Written by the thread of the executor only. */
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicBoolean discarding = new AtomicBoolean();
    private boolean sweepScheduled;

    ExecutorPackets(IncompletePackets memory, EventExecutor executor) {
        this.memory = memory;
        this.executor = executor;
    }

    IncompletePackets memory() {
        return memory;
    }

    EventExecutor executor() {
        return executor;
    }

    /** Returns the memory of the packets of this executor in bytes. Any thread may call it. */
    long usedBytes() {
        return usedBytes.get();
    }

    /** Changes the memory of a connection. Returns {@code false}, without changing it, if all packets would use too much memory. */
    boolean tryChange(PeerPackets peer, long beforeBytes, long afterBytes) {
        long added = afterBytes - beforeBytes;
        if (added <= 0) {
            memory.subtract(-added);
        } else if (!memory.tryAdd(added)) {
            return false;
        }
        usedBytes.lazySet(usedBytes.get() + added);
        int before = sizeClass(beforeBytes);
        int after = sizeClass(afterBytes);
        if (before != after) {
            if (before >= 0) {
                bySize.get(before).remove(peer.link());
            }
            if (after >= 0) {
                bySize.get(after).add(peer.link());
            }
        }
        if (added > 0) {
            try {
                if (memory.isExceeded()) {
                    memory.discardExcess();
                }
                scheduleSweep();
            } catch (OutOfMemoryError shortage) {
                // Leaves the tasks to the next packet that grows.
            }
        }
        return true;
    }

    private static int sizeClass(long bytes) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes);
    }

    /** Discards packets in a separate task until all packets use at most the limit, or those of this executor use at most its part. */
    void discardExcess(long partBytes) {
        if (usedBytes.get() <= partBytes || !discarding.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(() -> {
                discarding.set(false);
                discardLargest(partBytes);
            });
        } catch (RejectedExecutionException | OutOfMemoryError rejected) {
            // The channels of a terminated executor release their packets when they are closed.
            discarding.set(false);
        }
    }

    private void discardLargest(long partBytes) {
        for (int i = 0; i < CONNECTIONS_PER_TASK && memory.isExceeded() && usedBytes.get() > partBytes; i++) {
            PeerPackets largest = largest();
            if (largest == null) {
                return;
            }
            largest.discard("The incomplete packets of all channels use too much memory (limit: " + memory.limitBytes()
                + " bytes), and those of this connection use " + largest.bytes() + " bytes.");
        }
        if (memory.isExceeded()) {
            memory.discardExcess();
        }
    }

    private @Nullable PeerPackets largest() {
        for (int i = bySize.size() - 1; i >= 0; i--) {
            PeerPackets first = bySize.get(i).first();
            if (first != null) {
                return first;
            }
        }
        return null;
    }

    private void scheduleSweep() {
        if (!sweepScheduled && memory.timeoutMs() > 0 && !executor.isShuttingDown()) {
            executor.schedule(this::sweep, Math.max(1, memory.timeoutMs() / STALE_SWEEPS), TimeUnit.MILLISECONDS);
            sweepScheduled = true;
        }
    }

    /** Discards the packets that have received no byte for the timeout. */
    private void sweep() {
        sweepScheduled = false;
        for (Chain<PeerPackets> list : bySize) {
            PeerPackets next;
            for (PeerPackets peer = list.first(); peer != null; peer = next) {
                next = list.next(peer.link());
                peer.sweep();
            }
        }
        if (usedBytes.get() > 0) {
            scheduleSweep();
        }
    }
}
