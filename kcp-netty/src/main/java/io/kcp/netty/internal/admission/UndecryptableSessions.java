package io.kcp.netty.internal.admission;

import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * Finds addresses that attackers probably forge although a session with that address is open, because many datagrams from the address
 * cannot be decrypted. An address is suspect while it has more than {@value #FAILURES_PER_SECOND} failures per second, with bursts of up
 * to {@value #BURST}.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its table, 64 KiB, with the first failure.
 */
public final class UndecryptableSessions {

    static final int FAILURES_PER_SECOND = 8;
    static final int BURST = 64;
    private static final int ROWS = 1 << 10;

    private final SipHash sipHash;
    private final BucketTable failures;

    /**
     * Creates an empty table.
     *
     * @param nowNanos the current time of the event loop
     */
    public UndecryptableSessions(SecureRandom random, long nowNanos) {
        sipHash = new SipHash(random);
        failures = new BucketTable(new TokenBucket(FAILURES_PER_SECOND, BURST), ROWS, nowNanos);
    }

    /** Records that a datagram from an address could not be decrypted. */
    public void onFailure(InetSocketAddress address, long nowNanos) {
        long key = sipHash.hash64(address, 0);
        failures.take(key, SipHash.fold(key), nowNanos);
    }

    /** Returns {@code true} if many datagrams from an address could not be decrypted recently. */
    public boolean isSuspect(InetSocketAddress address, long nowNanos) {
        long key = sipHash.hash64(address, 0);
        return failures.isEmpty(key, SipHash.fold(key), nowNanos);
    }
}
