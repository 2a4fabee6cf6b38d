package io.kcp.netty.admission;

import java.net.InetAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Limits the rate of datagrams per source, which is an IPv4 address or an IPv6 /64. The token buckets are stored in a table of fixed size.
 * A new source replaces the source whose bucket is the fullest in its row, so a flood from many sources does not displace a source that
 * exceeds its rate. The row of a source depends on a secret key, so an attacker cannot choose sources that share a row.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its table, 256 KiB, with the first datagram.
 */
public final class SourceRates {

    static final int ROWS = 1 << 12;
    static final int SOURCES_PER_ROW = 4;
    /** Capacity of a bucket, in seconds of its rate. */
    private static final int BURST_SECONDS = 2;

    private final TokenBucket bucket;
    private final SipHash sipHash;
    private final long startNanos;
    private long @Nullable [] sources;
    private long[] fullAtNanos = {};

    /**
     * Creates an empty table.
     *
     * @param perSecond the rate of one source; its bucket holds twice as many tokens
     * @param nowNanos  the current time of the event loop
     */
    public SourceRates(SecureRandom random, int perSecond, long nowNanos) {
        bucket = new TokenBucket(perSecond, (int) Math.min(Integer.MAX_VALUE, (long) BURST_SECONDS * perSecond));
        sipHash = new SipHash(random);
        startNanos = nowNanos;
    }

    /** Counts a datagram of a source. Returns {@code false} if the source has exceeded its rate. */
    public boolean take(InetAddress address, long nowNanos) {
        long source = SourceKey.of(address);
        long now = nowNanos - startNanos;
        long[] keys = sources;
        if (keys == null) {
            keys = new long[ROWS * SOURCES_PER_ROW];
            fullAtNanos = new long[ROWS * SOURCES_PER_ROW];
            sources = keys;
        }
        int row = (sipHash.hash(source, 0, 0) & ROWS - 1) * SOURCES_PER_ROW;
        int fullest = row;
        for (int i = row; i < row + SOURCES_PER_ROW; i++) {
            if (keys[i] == source) {
                long taken = bucket.take(fullAtNanos[i], now);
                if (taken == TokenBucket.EMPTY) {
                    return false;
                }
                fullAtNanos[i] = taken;
                return true;
            }
            if (fullAtNanos[i] < fullAtNanos[fullest]) {
                fullest = i;
            }
        }
        keys[fullest] = source;
        fullAtNanos[fullest] = bucket.take(TokenBucket.FULL, now);
        return true;
    }
}
