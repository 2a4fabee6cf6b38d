package io.kcp.core;

/**
 * Spreads what a conversation sends over time: a bucket that fills with the rate, of which every segment takes its bytes. The
 * bucket holds what a few milliseconds bring, so that a timer that comes late costs no throughput, and it may be overdrawn
 * by one segment.
 */
final class Pacer {

    private static final int BURST_MS = 8;
    private static final int MS_PER_S = 1_000;
    /** Twelve days: enough to fill the bucket at any rate, and the product with the rate fits a long. */
    private static final long MAX_REFILL_MS = 1L << 30;

    /** In thousandths of a byte: what a slow rate brings in a millisecond is less than one. */
    private long tokens;
    private int lastMs;
    private boolean started;

    /** Lets the time pass. */
    void refill(int timeMs, KcpConfig config) {
        int rate = config.maxBytesPerSecond();
        if (rate == 0) {
            started = false;
            return;
        }
        long full = full(config);
        if (!started) {
            started = true;
            tokens = full;
        } else {
            tokens = Math.min(full, tokensAt(timeMs, rate));
        }
        lastMs = timeMs;
    }

    private static long full(KcpConfig config) {
        return Math.max((long) config.maxBytesPerSecond() * BURST_MS, (long) config.mtuBytes() * MS_PER_S);
    }

    private long tokensAt(int timeMs, int rate) {
        // Unsigned: without a flush for 25 days the difference does not fit a signed int.
        return tokens + rate * Math.min(Integer.toUnsignedLong(timeMs - lastMs), MAX_REFILL_MS);
    }

    /** Whether a segment may go now. */
    boolean mayPass(KcpConfig config) {
        return config.maxBytesPerSecond() == 0 || tokens > 0;
    }

    void onSent(int bytes) {
        tokens -= (long) bytes * MS_PER_S;
    }

    /** Returns milliseconds until a segment may go, 0 if one may. */
    int msUntilPass(int timeMs, KcpConfig config) {
        int rate = config.maxBytesPerSecond();
        if (rate == 0 || !started) {
            return 0;
        }
        long now = tokensAt(timeMs, rate);
        return now > 0 ? 0 : (int) (-now / rate + 1);
    }
}
