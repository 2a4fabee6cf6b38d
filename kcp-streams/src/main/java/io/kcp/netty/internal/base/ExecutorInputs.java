package io.kcp.netty.internal.base;

import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The partial inputs of the connections of one event executor. The connections are listed by the memory that their inputs use,
 * rounded down to a power of two. If memory is short, the connections with the most memory lose their inputs first. Among connections
 * with similar amounts of memory, the one whose amount has not changed for the longest time loses its inputs first. Connections whose
 * peers are not validated lose their inputs before all others, because an attacker can open any number of sessions from forged addresses.
 */
final class ExecutorInputs {

    /** Number of inputs after which a task discards the inputs of no further connection. */
    private static final int INPUTS_PER_TASK = 256;
    /** Delay before the next task that discards inputs. */
    private static final int PAUSE_MS = 1;

    private final PartialInputMemory memory;
    private final EventExecutor executor;
    private final Runnable onExceeded;
    /** The lists of connections, indexed by the binary logarithm of their memory in bytes. */
    private final List<Chain<PeerInputs>> bySize = newLists();
    /** The lists of connections whose peers were not validated when their memory last changed. */
    private final List<Chain<PeerInputs>> unvalidatedBySize = newLists();
    /** Written by the thread of the executor only. */
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicBoolean discarding = new AtomicBoolean();
    private final Sweep sweep;

    /**
     * Creates an object without connections.
     *
     * @param timeoutMs  milliseconds after which an input that receives no byte is discarded, or 0 for no timeout
     * @param onExceeded makes all executors discard inputs, called on any thread when the inputs use more than the limit
     */
    ExecutorInputs(PartialInputMemory memory, EventExecutor executor, long timeoutMs, Runnable onExceeded) {
        this.memory = memory;
        this.executor = executor;
        this.onExceeded = onExceeded;
        sweep = new Sweep(executor, timeoutMs);
    }

    PartialInputMemory memory() {
        return memory;
    }

    EventExecutor executor() {
        return executor;
    }

    /** Adds an input of a connection, which the next sweep examines. */
    void add(PartialInput input) {
        sweep.add(input);
    }

    /** Removes an input that {@link #add} has added. */
    void remove(PartialInput input) {
        sweep.remove(input);
    }

    /** Returns the memory of the inputs of this executor in bytes. Any thread may call it. */
    long usedBytes() {
        return usedBytes.get();
    }

    /** Changes the memory of a connection. Returns {@code false}, without changing it, if all inputs would use too much memory. */
    boolean tryChange(PeerInputs peer, long beforeBytes, long afterBytes) {
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
                    onExceeded.run();
                }
            } catch (OutOfMemoryError shortage) {
                // The next input that grows notifies the executors.
            }
            sweep.schedule();
        }
        return true;
    }

    private static List<Chain<PeerInputs>> newLists() {
        return Stream.generate(Chain<PeerInputs>::new).limit(Long.SIZE).toList();
    }

    private @Nullable Chain<PeerInputs> list(PeerInputs peer, long bytes) {
        return bytes == 0 ? null : (peer.isValidated() ? bySize : unvalidatedBySize).get(Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes));
    }

    /** Discards inputs in a separate task until all inputs use at most the limit, or those of this executor use at most its part. */
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
            // The channels of a terminated executor release their inputs when they are closed.
            discarding.set(false);
        }
    }

    private void discardLargest(long partBytes) {
        for (int i = 0; i < INPUTS_PER_TASK && memory.isExceeded() && usedBytes.get() > partBytes;) {
            PeerInputs largest = largest();
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
            executor.schedule(onExceeded, PAUSE_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError rejected) {
            // The next input that grows notifies the executors.
        }
    }

    private @Nullable PeerInputs largest() {
        for (int i = unvalidatedBySize.size() - 1; i >= 0; i--) {
            Chain<PeerInputs> list = unvalidatedBySize.get(i);
            for (PeerInputs first = list.first(); first != null; first = list.first()) {
                if (!first.isValidated()) {
                    return first;
                }
                first.moveTo(bySize.get(i));
            }
        }
        for (int i = bySize.size() - 1; i >= 0; i--) {
            PeerInputs first = bySize.get(i).first();
            if (first != null) {
                return first;
            }
        }
        return null;
    }

    /**
     * Periodically discards the inputs of one event executor that have received no byte for the timeout. A sweep examines each input
     * once. It is divided into tasks, so that the inputs of an attacker that time out together do not occupy the executor.
     */
    private static final class Sweep {

        /** Maximum number of inputs that one task discards. Closing that many channels takes some milliseconds. */
        static final int DISCARDED_PER_TASK = 256;
        /** Maximum number of inputs that one task examines. */
        private static final int EXAMINED_PER_TASK = 16_384;
        /** Delay between two tasks of a sweep. The event loop reads its sockets before it runs a task with a delay. */
        private static final int PAUSE_MS = 1;

        private final EventExecutor executor;
        private final long timeoutMs;
        /** The inputs that the current sweep has not examined yet. */
        private Chain<PartialInput> waiting = new Chain<>();
        private Chain<PartialInput> examined = new Chain<>();
        private boolean scheduled;

        Sweep(EventExecutor executor, long timeoutMs) {
            this.executor = executor;
            this.timeoutMs = timeoutMs;
        }

        /** Adds an input, which the next sweep examines. */
        void add(PartialInput input) {
            examined.add(input.sweepLink());
        }

        /** Removes an input that {@link #add} has added. */
        void remove(PartialInput input) {
            Chain.Link<PartialInput> link = input.sweepLink();
            (link.isIn(waiting) ? waiting : examined).remove(link);
        }

        /** Schedules the next sweep, unless a sweep is scheduled or the timeout is off. */
        void schedule() {
            if (timeoutMs > 0) {
                schedule(Math.max(1, timeoutMs / PartialInput.STALE_SWEEPS));
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
                // The next input that grows schedules the sweep. The channels of a terminated executor release their inputs.
            }
        }

        private void run() {
            scheduled = false;
            if (waiting.isEmpty()) {
                Chain<PartialInput> all = examined;
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
                @Nullable PartialInput input = waiting.first();
                if (input == null) {
                    return;
                }
                waiting.remove(input.sweepLink());
                examined.add(input.sweepLink());
                if (input.isStale()) {
                    input.discard(PartialInput.Cause.TIMEOUT,
                        "The peer sent a part of a packet, and then nothing for " + timeoutMs + " ms.");
                    discarded++;
                }
            }
        }
    }
}
