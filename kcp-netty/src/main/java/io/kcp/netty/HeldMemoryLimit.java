package io.kcp.netty;

import io.kcp.core.HeldMemory;
import io.netty.buffer.ByteBuf;
import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Divides a quarter of the direct memory that this JVM may use among the event loops with KCP channels: what the sessions
 * of one loop may hold unacknowledged and unread before those above their share are slowed down, see {@link HeldMemory}.
 */
final class HeldMemoryLimit {

    private static final int DIVISOR = 4;
    private static final long MIN_BYTES_PER_LOOP = 1 << 20;
    private static final AtomicInteger LOOPS = new AtomicInteger();

    private final HeldMemory held;
    private int loops;

    HeldMemoryLimit(HeldMemory held) {
        this.held = held;
    }

    void enter() {
        LOOPS.incrementAndGet();
        refresh();
    }

    void leave() {
        LOOPS.decrementAndGet();
    }

    /** Applies the current number of loops; on the event loop. */
    void refresh() {
        int now = LOOPS.get();
        if (now != loops) {
            loops = now;
            held.setMaxHeldBytes(bytesPerLoop(PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory(), now));
        }
    }

    /** Returns whether a message keeps more than twice its own length of memory, as part of a larger buffer. */
    static boolean isSmallPart(ByteBuf message) {
        ByteBuf root = message;
        for (ByteBuf next = root.unwrap(); next != null; next = root.unwrap()) {
            root = next;
        }
        return root.capacity() >> 1 > message.readableBytes();
    }

    /** Returns the limit of each of so many loops. Direct memory is that of the heap where Netty does not limit it. */
    static long bytesPerLoop(long directBytes, long heapBytes, int loops) {
        long usable = directBytes > 0 ? Math.min(directBytes, heapBytes) : heapBytes;
        return Math.max(MIN_BYTES_PER_LOOP, usable / DIVISOR / Math.max(1, loops));
    }
}
