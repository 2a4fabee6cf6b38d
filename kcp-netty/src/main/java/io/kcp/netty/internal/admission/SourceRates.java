package io.kcp.netty.internal.admission;

import java.net.InetAddress;
import java.security.SecureRandom;

/**
 * Limits the rate of datagrams per source, which is an IPv4 address or an IPv6 /64. The token buckets are stored in a table of fixed size,
 * from which a flood from many sources does not displace a source that exceeds its rate.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its table, 256 KiB, with the first datagram.
 */
public final class SourceRates {

    static final int ROWS = 1 << 12;
    static final int SOURCES_PER_ROW = BucketTable.KEYS_PER_ROW;
    /** Capacity of a bucket, in seconds of its rate. */
    private static final int BURST_SECONDS = 2;

    private final SipHash sipHash;
    private final BucketTable sources;

    /**
     * Creates an empty table.
     *
     * @param perSecond the rate of one source; its bucket holds twice as many tokens
     * @param nowNanos  the current time of the event loop
     */
    public SourceRates(SecureRandom random, int perSecond, long nowNanos) {
        sipHash = new SipHash(random);
        int burst = (int) Math.min(Integer.MAX_VALUE, (long) BURST_SECONDS * perSecond);
        sources = new BucketTable(new TokenBucket(perSecond, burst), ROWS, nowNanos);
    }

    /** Counts a datagram of a source. Returns {@code false} if the source has exceeded its rate. */
    public boolean take(InetAddress address, long nowNanos) {
        long source = SourceKey.of(address);
        return sources.take(source, sipHash.hash(source, 0, 0), nowNanos);
    }
}
