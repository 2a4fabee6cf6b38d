package io.kcp.netty.admission;

import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * Lets a server under load open sessions only for peers that receive datagrams at their addresses. The server responds to a first datagram
 * with a probe, an empty duplicate PUSH, instead of opening a session. Every KCP implementation acknowledges the probe and echoes its
 * {@code ts}. A correct echo proves the address, and the next retransmission of the first datagram opens the session.
 *
 * <p>The {@code ts} of a probe is the clock plus a keyed hash of the address and the conversation id. The server therefore stores nothing
 * for forged addresses, and an attacker who does not receive the probe cannot guess its {@code ts}. The later session of the peer must use
 * {@link #sessionBase}, because a peer may ignore duplicates that are older than the probe.
 *
 * <p>Proven addresses are remembered for one to two periods of {@value #PERIOD_MS} ms.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its filters, 1 MiB, with the first proven address.
 */
public final class AddressProofs {

    /** Time in milliseconds for which an echo is accepted after the probe was sent, and minimum time for which it is remembered. */
    static final int PERIOD_MS = 4_096;
    /**
     * Granularity of the {@code ts} of probes in milliseconds, a power of two. It leaves 32 valid values at any time, of which an attacker
     * would have to guess one.
     */
    static final int GRANULARITY_MS = 128;
    /**
     * Number of bits of a filter. If an attacker proves 170,000 addresses within a period, for example from 256 IPv6 networks, one unproven
     * address in a thousand is mistaken for a proven one.
     */
    private static final int BITS = 1 << 22;

    private final SipHash sipHash;
    private final RecentHashes proven = new RecentHashes(BITS, PERIOD_MS);

    /** Creates an object that knows no proven addresses, and whose hash function has a random key. */
    public AddressProofs(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Returns the number that probes add to the clock in their {@code ts}. Only this socket can compute the number. */
    int probeBase(InetSocketAddress address, int conv) {
        return sipHash.hash(address, conv);
    }

    /**
     * Returns the number that a session with a peer must add to the clock in its {@code ts}. The {@code ts} of the session are newer than
     * those of all probes. They depend on 30 random bits, because the peer of an earlier session with the same address and conversation id
     * knows the timestamps of the probes.
     */
    public int sessionBase(InetSocketAddress address, int conv, int random) {
        return probeBase(address, conv) + (random >>> 2);
    }

    /** Returns the {@code ts} of a probe that is sent now. */
    public int probeTs(InetSocketAddress address, int conv, long nowMs) {
        return probeBase(address, conv) + ((int) nowMs & -GRANULARITY_MS);
    }

    /** Returns {@code true} if {@code ts} is the correct echo of a probe, which proves the address. */
    public boolean isEcho(InetSocketAddress address, int conv, int ts, long nowMs) {
        int sentAtMs = ts - probeBase(address, conv);
        int ageMs = (int) nowMs - sentAtMs;
        return ageMs >= 0 && ageMs < PERIOD_MS && (sentAtMs & GRANULARITY_MS - 1) == 0;
    }

    /** Adds a peer that has proved its address. */
    public void add(InetSocketAddress address, int conv, long nowMs) {
        proven.add(sipHash.hash64(address, conv), nowMs);
    }

    /** Returns {@code true} if a peer has recently proved its address for a conversation id. */
    public boolean isProven(InetSocketAddress address, int conv, long nowMs) {
        return proven.contains(sipHash.hash64(address, conv), nowMs);
    }
}
