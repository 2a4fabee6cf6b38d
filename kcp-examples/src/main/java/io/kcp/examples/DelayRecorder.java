package io.kcp.examples;

import java.util.concurrent.atomic.AtomicLongArray;

/** Notes when each chunk of a transfer is accepted, on the sender's thread, and when it is delivered, on the receiver's. */
final class DelayRecorder {

    private final long totalBytes;
    private final int chunkBytes;
    private final AtomicLongArray acceptedNanos;
    private final AtomicLongArray deliveredNanos;
    private int delivered;
    private volatile long deliveredBytes;

    DelayRecorder(long totalBytes, int chunkBytes) {
        this.totalBytes = totalBytes;
        this.chunkBytes = chunkBytes;
        int chunks = Math.toIntExact((totalBytes + chunkBytes - 1) / chunkBytes);
        acceptedNanos = new AtomicLongArray(chunks);
        deliveredNanos = new AtomicLongArray(chunks);
    }

    void onAccepted(int chunk) {
        acceptedNanos.set(chunk, System.nanoTime());
    }

    /** To be called with the bytes of the chunks in their order, however cut. */
    void onDelivered(int bytes) {
        long nowNanos = System.nanoTime();
        long sum = deliveredBytes + bytes;
        while (delivered < deliveredNanos.length() && Math.min(totalBytes, (delivered + 1L) * chunkBytes) <= sum) {
            deliveredNanos.set(delivered++, nowNanos);
        }
        deliveredBytes = sum;
    }

    /** From any thread. */
    long deliveredBytes() {
        return deliveredBytes;
    }

    long totalBytes() {
        return totalBytes;
    }

    /** What was recorded; when all is delivered. */
    DelaySeries series() {
        return new DelaySeries(copy(acceptedNanos), copy(deliveredNanos));
    }

    private static long[] copy(AtomicLongArray values) {
        long[] copy = new long[values.length()];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = values.get(i);
        }
        return copy;
    }
}
