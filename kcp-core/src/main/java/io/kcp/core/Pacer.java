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
    private long fullTokens;
    private int bytesPerSecond;
    private int lastMs;
    private boolean started;

    void reconfigure(KcpConfig config) {
        bytesPerSecond = config.maxBytesPerSecond();
        fullTokens = Math.max((long) bytesPerSecond * BURST_MS, (long) config.mtuBytes() * MS_PER_S);
    }

    /** Adds the tokens of the time since the previous call. */
    void refill(int timeMs) {
        if (bytesPerSecond == 0) {
            started = false;
            return;
        }
        if (!started) {
            started = true;
            tokens = fullTokens;
        } else {
            tokens = Math.min(fullTokens, tokensAt(timeMs));
        }
        lastMs = timeMs;
    }

    private long tokensAt(int timeMs) {
        // Unsigned: without a flush for 25 days the difference does not fit a signed int.
        return tokens + bytesPerSecond * Math.min(Integer.toUnsignedLong(timeMs - lastMs), MAX_REFILL_MS);
    }

    /** Whether a segment may go now. */
    boolean mayPass() {
        return bytesPerSecond == 0 || tokens > 0;
    }

    void onSent(int bytes) {
        tokens -= (long) bytes * MS_PER_S;
    }

    /** Returns milliseconds until a segment may go, 0 if one may. */
    int msUntilPass(int timeMs) {
        if (bytesPerSecond == 0 || !started) {
            return 0;
        }
        long now = tokensAt(timeMs);
        return now > 0 ? 0 : (int) (-now / bytesPerSecond + 1);
    }
}
