package io.kcp.core;

/**
 * Uses a token bucket to limit the send rate of a conversation. Each data segment consumes tokens for its bytes. The bucket holds the
 * tokens of a few milliseconds, so that a late timer costs no throughput, and one segment may overdraw it.
 */
final class Pacer {

    /** A pacer that never limits the rate. Conversations without a limit share it, because no method changes it. */
    static final Pacer UNLIMITED = new Pacer();

    private static final int BURST_MS = 8;
    private static final int MS_PER_S = 1_000;
    /**
     * Maximum time in milliseconds that one refill counts, about twelve days. This time fills the bucket at any rate, and its product with
     * any rate fits in a {@code long}.
     */
    private static final long MAX_REFILL_MS = 1L << 30;

    /** Available tokens, counted in thousandths of a byte because most rates are not a whole number of bytes per millisecond. */
    private long tokens;
    private long fullTokens;
    private int bytesPerSecond;
    private int lastMs;
    private boolean started;

    /** Returns the pacer for new settings. Changing one limit to another keeps the tokens of the current pacer. */
    static Pacer of(KcpConfig config, Pacer current) {
        if (config.maxBytesPerSecond() == 0) {
            return UNLIMITED;
        }
        Pacer pacer = current == UNLIMITED ? new Pacer() : current;
        pacer.reconfigure(config);
        return pacer;
    }

    private void reconfigure(KcpConfig config) {
        bytesPerSecond = config.maxBytesPerSecond();
        fullTokens = Math.max((long) bytesPerSecond * BURST_MS, (long) config.mtuBytes() * MS_PER_S);
    }

    /** Adds the tokens for the time since the previous call. */
    void refill(int timeMs) {
        if (bytesPerSecond == 0) {
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
        // The difference is treated as unsigned, because it overflows a signed int after 25 days without a flush.
        return tokens + bytesPerSecond * Math.min(Integer.toUnsignedLong(timeMs - lastMs), MAX_REFILL_MS);
    }

    /** Returns {@code true} if a segment may be sent now. */
    boolean mayPass() {
        return bytesPerSecond == 0 || tokens > 0;
    }

    void onSent(int bytes) {
        if (bytesPerSecond != 0) {
            tokens -= (long) bytes * MS_PER_S;
        }
    }

    /** Returns the milliseconds until a segment may be sent, or 0 if it may be sent now. */
    int msUntilPass(int timeMs) {
        if (bytesPerSecond == 0 || !started) {
            return 0;
        }
        long now = tokensAt(timeMs);
        return now > 0 ? 0 : (int) (-now / bytesPerSecond + 1);
    }
}
