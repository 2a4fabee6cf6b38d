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
 * with similar amounts of memory, the one whose amount has not changed for the longest time loses its packets first. Connections whose
 * peers are not validated lose their packets before all others, because an attacker can open any number of sessions from forged addresses.
 */
final class ExecutorPackets {

    /** Number of packets after which a task discards the packets of no further connection. */
    private static final int PACKETS_PER_TASK = 256;
    /** Delay before the next task that discards packets. */
    private static final int PAUSE_MS = 1;

    private final IncompletePackets memory;
    private final EventExecutor executor;
    /** The lists of connections, indexed by the binary logarithm of their memory in bytes. */
    private final List<Chain<PeerPackets>> bySize = newLists();
    /** The lists of connections whose peers were not validated when their memory last changed. */
    private final List<Chain<PeerPackets>> unvalidatedBySize = newLists();
    /** Written by the thread of the executor only. */
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicBoolean discarding = new AtomicBoolean();
    private final PacketSweep sweep;

    ExecutorPackets(IncompletePackets memory, EventExecutor executor) {
        this.memory = memory;
        this.executor = executor;
        sweep = new PacketSweep(executor, memory.timeoutMs());
    }

    IncompletePackets memory() {
        return memory;
    }

    EventExecutor executor() {
        return executor;
    }

    PacketSweep sweep() {
        return sweep;
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
        peer.moveTo(list(peer, afterBytes));
        if (added > 0) {
            try {
                if (memory.isExceeded()) {
                    memory.discardExcess();
                }
            } catch (OutOfMemoryError shortage) {
                // The next packet that grows notifies the executors.
            }
            sweep.schedule();
        }
        return true;
    }

    private static List<Chain<PeerPackets>> newLists() {
        return Stream.generate(Chain<PeerPackets>::new).limit(Long.SIZE).toList();
    }

    private @Nullable Chain<PeerPackets> list(PeerPackets peer, long bytes) {
        return bytes == 0 ? null : (peer.isValidated() ? bySize : unvalidatedBySize).get(Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes));
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
        for (int i = 0; i < PACKETS_PER_TASK && memory.isExceeded() && usedBytes.get() > partBytes;) {
            PeerPackets largest = largest();
            if (largest == null) {
                return;
            }
            i += largest.discard("The incomplete packets of all channels use too much memory (limit: " + memory.limitBytes()
                + " bytes), and those of this connection use " + largest.bytes() + " bytes.");
        }
        if (memory.isExceeded()) {
            continueLater();
        }
    }

    private void continueLater() {
        try {
            // The event loop reads its sockets before it runs a task with a delay.
            executor.schedule(memory::discardExcess, PAUSE_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError rejected) {
            // The next packet that grows notifies the executors.
        }
    }

    private @Nullable PeerPackets largest() {
        for (int i = unvalidatedBySize.size() - 1; i >= 0; i--) {
            Chain<PeerPackets> list = unvalidatedBySize.get(i);
            for (PeerPackets first = list.first(); first != null; first = list.first()) {
                if (!first.isValidated()) {
                    return first;
                }
                first.moveTo(bySize.get(i));
            }
        }
        for (int i = bySize.size() - 1; i >= 0; i--) {
            PeerPackets first = bySize.get(i).first();
            if (first != null) {
                return first;
            }
        }
        return null;
    }
}
