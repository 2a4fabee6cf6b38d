package io.kcp.netty.admission;

import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * Remembers source addresses whose datagrams could not be decrypted, so that other addresses take precedence while the time for decryption
 * is limited. An address is remembered for one to two periods of {@value #PERIOD_MS} ms.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its filters, 512 KiB, with the first address.
 */
public final class FailedSources {

    static final int PERIOD_MS = 4_000;
    /** Number of bits of a filter. With 200,000 addresses, one other address in a hundred is mistaken for a remembered one. */
    private static final int BITS = 1 << 21;

    private final SipHash sipHash;
    private final RecentHashes failed = new RecentHashes(BITS, PERIOD_MS);

    /** Creates an object that remembers no address, and whose hash function has a random key. */
    public FailedSources(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Adds an address whose datagram could not be decrypted, or that sent another datagram after such a failure. */
    public void add(InetSocketAddress address, long nowMs) {
        failed.add(sipHash.hash64(address, 0), nowMs);
    }

    /** Returns {@code true} if an address was added within the last period. */
    public boolean contains(InetSocketAddress address, long nowMs) {
        return failed.contains(sipHash.hash64(address, 0), nowMs);
    }
}
