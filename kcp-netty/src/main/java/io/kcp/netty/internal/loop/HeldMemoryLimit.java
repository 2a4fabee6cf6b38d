package io.kcp.netty.internal.loop;

import io.kcp.core.internal.memory.MemoryLimit;
import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Divides the memory limit of all sessions equally among the event loops that have KCP channels. The limit is a quarter of the JVM's
 * maximum direct memory or heap size, whichever is smaller. When the unacknowledged and unread data of an event loop's sessions exceeds the
 * limit of the event loop, sessions above their share are paused, as {@link MemoryLimit} describes.
 */
public final class HeldMemoryLimit {

    private static final int DIVISOR = 4;
    private static final long MIN_BYTES_PER_LOOP = 1 << 20;
    private static final AtomicInteger LOOPS = new AtomicInteger();

    private final MemoryLimit memoryLimit;
    private int loops;

    HeldMemoryLimit(MemoryLimit memoryLimit) {
        this.memoryLimit = memoryLimit;
    }

    void enter() {
        LOOPS.incrementAndGet();
        refresh();
    }

    void leave() {
        LOOPS.decrementAndGet();
    }

    /** Recomputes the memory limit if the number of event loops has changed. Must be called on the event loop. */
    void refresh() {
        int now = LOOPS.get();
        if (now != loops) {
            loops = now;
            memoryLimit.setMaxHeldBytes(bytesPerLoop(PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory(), now));
        }
    }

    /**
     * Returns the memory limit of each event loop in bytes. If Netty does not limit direct memory, the maximum heap size is used instead.
     */
    static long bytesPerLoop(long directBytes, long heapBytes, int loops) {
        long usable = directBytes > 0 ? Math.min(directBytes, heapBytes) : heapBytes;
        return Math.max(MIN_BYTES_PER_LOOP, usable / DIVISOR / Math.max(1, loops));
    }
}
