package io.kcp.netty.internal.base;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the memory of all partial inputs towards a limit. This class is thread-safe. */
final class PartialInputMemory {

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    PartialInputMemory(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    long limitBytes() {
        return limitBytes;
    }

    long usedBytes() {
        return usedBytes.get();
    }

    boolean isExceeded() {
        return usedBytes.get() > limitBytes;
    }

    /** Adds bytes. Returns {@code false}, without adding them, if all inputs would then use more than twice the limit. */
    boolean tryAdd(long bytes) {
        long before;
        do {
            before = usedBytes.get();
            if (before + bytes > 2 * limitBytes) {
                return false;
            }
        } while (!usedBytes.compareAndSet(before, before + bytes));
        return true;
    }

    void subtract(long bytes) {
        usedBytes.addAndGet(-bytes);
    }
}
