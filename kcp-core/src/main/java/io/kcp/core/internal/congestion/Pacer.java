package io.kcp.core.internal.congestion;

/**
 * Limits the send rate of a conversation with a token bucket. Each data segment consumes tokens for its bytes, and one segment may overdraw
 * the bucket. The rate is the minimum of the configured limit and the pacing rate of the conversation. The bucket holds the tokens of at
 * least a few milliseconds, so that a late timer costs no throughput.
 */
public final class Pacer {

    /** A pacer that never limits the rate. Conversations without a limit share it, because no method changes it. */
    public static final Pacer UNLIMITED = new Pacer();

    private static final int BURST_MS = 8;
    private static final int MS_PER_S = 1_000;
    private static final int US_PER_MS = 1_000;
    private static final long US_PER_S = 1_000_000;
    /**
     * Maximum time in microseconds that one refill counts, about 17 minutes. This time fills the bucket at any rate, and its product with
     * any rate below 8 GB/s fits in a {@code long}.
     */
    private static final long MAX_REFILL_US = 1L << 30;

    /** Available tokens, counted in millionths of a byte because most rates are not a whole number of bytes per microsecond. */
    private long tokens;
    private long fullTokens;
    private long bytesPerSecond;
    private int limitBytesPerSecond;
    private long limitBurstBytes;
    private long lastUs;

    /** Creates a pacer that does not limit the rate until {@link #configure} or {@link #refill} sets a limit. */
    public Pacer() {
    }

    /**
     * Sets the configured limit.
     *
     * @param maxBytesPerSecond the limit, or 0 for none
     * @param mtuBytes          the size of the largest datagram, which may be sent at once even if the limit is lower
     */
    public void configure(int maxBytesPerSecond, int mtuBytes) {
        limitBytesPerSecond = maxBytesPerSecond;
        limitBurstBytes = Math.max((long) maxBytesPerSecond * BURST_MS / MS_PER_S, mtuBytes);
    }

    /**
     * Adds the tokens for the time since the previous call, and then adopts the rate of congestion control.
     *
     * @param timeUs     the clock
     * @param congestion sets the pacing rate and the maximum burst
     */
    public void refill(long timeUs, CongestionControl congestion) {
        refill(timeUs, congestion.pacingBytesPerSecond(), congestion.burstBytes());
    }

    /**
     * Adds the tokens for the time since the previous call, and then adopts a rate.
     *
     * @param timeUs     the clock
     * @param pace       the rate in bytes per second, or 0 for none
     * @param burstBytes the maximum number of bytes that are released at once
     */
    public void refill(long timeUs, long pace, long burstBytes) {
        boolean limited = limitBytesPerSecond != 0 && (pace == 0 || limitBytesPerSecond <= pace);
        long rate = limited ? limitBytesPerSecond : pace;
        if (rate == 0) {
            // Assigns nothing if the rate is already 0, because conversations without a limit share one object.
            if (bytesPerSecond != 0) {
                bytesPerSecond = 0;
            }
            return;
        }
        fullTokens = (limited ? limitBurstBytes : burstBytes) * US_PER_S;
        tokens = bytesPerSecond == 0 ? fullTokens : Math.min(fullTokens, tokensAt(timeUs));
        bytesPerSecond = rate;
        lastUs = timeUs;
    }

    private long tokensAt(long timeUs) {
        long elapsedUs = Math.min(timeUs - lastUs, MAX_REFILL_US);
        return elapsedUs <= 0 ? tokens : tokens + bytesPerSecond * elapsedUs;
    }

    /** Returns {@code true} if a segment may be sent now. */
    public boolean mayPass() {
        return bytesPerSecond == 0 || tokens > 0;
    }

    /**
     * Returns {@code true} if a segment may be sent now without overdrawing the bucket.
     *
     * @param bytes the size of the segment with its header
     */
    public boolean affords(int bytes) {
        return bytesPerSecond == 0 || tokens >= bytes * US_PER_S;
    }

    /**
     * Consumes the tokens of a segment.
     *
     * @param bytes the size of the segment with its header
     */
    public void onSent(int bytes) {
        if (bytesPerSecond != 0) {
            tokens -= bytes * US_PER_S;
        }
    }

    /**
     * Returns the milliseconds until a segment may be sent, or 0 if it may be sent now.
     *
     * @param timeUs the clock
     */
    public int msUntilPass(long timeUs) {
        if (bytesPerSecond == 0) {
            return 0;
        }
        long now = tokensAt(timeUs);
        return now > 0 ? 0 : (int) Math.min((-now / bytesPerSecond + US_PER_MS) / US_PER_MS, Integer.MAX_VALUE - 1);
    }
}
