package io.kcp.netty.internal.admission;

import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * Remembers source addresses whose datagrams could not be decrypted, so that other addresses take precedence while the time for decryption
 * is limited. An address is remembered for one to two periods of {@value #PERIOD_MS} ms.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its filters, 2 MiB, with the first address.
 */
public final class UndecryptableStrangers {

    static final int PERIOD_MS = 4_000;
    /**
     * Number of bits of a filter. If 200,000 datagrams per second cannot be decrypted, a filter contains 800,000 addresses, and one other
     * address in a hundred is mistaken for one of them.
     */
    private static final int BITS = 1 << 23;

    private final SipHash sipHash;
    private final RecentHashes failed = new RecentHashes(BITS, PERIOD_MS);

    /** Creates an object that remembers no address, and whose hash function has a random key. */
    public UndecryptableStrangers(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Adds an address whose datagram could not be decrypted. */
    public void add(InetSocketAddress address, long nowMs) {
        failed.add(sipHash.hash64(address, 0), nowMs);
    }

    /** Returns {@code true} if an address was added within the last period. */
    public boolean contains(InetSocketAddress address, long nowMs) {
        return failed.contains(sipHash.hash64(address, 0), nowMs);
    }
}
