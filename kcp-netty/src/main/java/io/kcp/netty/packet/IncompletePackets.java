package io.kcp.netty.packet;

import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of the incomplete payloads of all decoders together. Without this limit, peers that announce large packets on many
 * channels or streams, and complete none of them, could exhaust the memory. If all payloads together use more than the limit, a payload
 * may use at most the difference between twice the limit and the bytes in use, divided by the number of payloads. Any thread may call the
 * methods.
 */
final class IncompletePackets {

    /** Divisor of the memory of the JVM that gives the default limit of {@link #SHARED}. */
    private static final int DIVISOR = 8;
    /** The payloads of this process. */
    static final IncompletePackets SHARED = new IncompletePackets(limitBytes(Long.getLong("io.kcp.netty.packet.maxIncompleteBytes", -1),
        PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory()));

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicInteger packets = new AtomicInteger();

    IncompletePackets(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Returns the configured limit, or an eighth of the memory if it is negative. A limit of 0 means no limit. */
    static long limitBytes(long configured, long directBytes, long heapBytes) {
        if (configured >= 0) {
            return configured == 0 ? Long.MAX_VALUE / 2 : configured;
        }
        return (directBytes > 0 ? Math.min(directBytes, heapBytes) : heapBytes) / DIVISOR;
    }

    /**
     * Changes the capacity of an incomplete payload.
     *
     * @param before the current capacity in bytes, 0 if the payload is new
     * @param after  the new capacity in bytes, at least 1
     * @throws PacketException if the payload exceeds its share. Its capacity then does not change
     */
    void grow(int before, int after) {
        int count = before == 0 ? packets.incrementAndGet() : packets.get();
        long total = usedBytes.addAndGet(after - before);
        if (total > limitBytes && after > Math.max(0, 2 * limitBytes - total) / Math.max(1, count)) {
            usedBytes.addAndGet(before - after);
            if (before == 0) {
                packets.decrementAndGet();
            }
            throw new PacketException(PacketException.Reason.MEMORY_LIMIT, "The incomplete packets of " + count
                + " channels use too much memory for a payload of " + after + " bytes (limit: " + limitBytes + " bytes).");
        }
    }

    /** Removes a payload with the given capacity, which is complete or was discarded. */
    void remove(int capacity) {
        usedBytes.addAndGet(-capacity);
        packets.decrementAndGet();
    }

    long usedBytes() {
        return usedBytes.get();
    }
}
