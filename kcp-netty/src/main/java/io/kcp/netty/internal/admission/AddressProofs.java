package io.kcp.netty.internal.admission;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Lets a server under load open sessions only for peers that receive datagrams at their addresses. The server responds to a first datagram
 * with a probe, an empty duplicate PUSH, instead of opening a session. Every KCP implementation acknowledges the probe and echoes its
 * {@code ts}. A correct echo proves the address, and the next retransmission of the first datagram opens the session.
 *
 * <p>The {@code ts} of a probe is the clock plus a keyed hash of the address and the conversation id. The server therefore stores nothing
 * for forged addresses, and an attacker who does not receive the probe cannot guess its {@code ts}. The key changes every five minutes, so
 * that an earlier holder of an address cannot use the probes that it received to prove the address later. The later session of the peer
 * must use {@link #sessionBase}, because a peer may ignore duplicates that are older than the probe.
 *
 * <p>Proven addresses are remembered for one to two periods of {@value #PERIOD_MS} ms.
 *
 * <p>This class is used on the event loop of one socket only. It allocates filters of 1 MiB for the first address that is proved with a
 * secret. Shortly after the secret has changed, it uses filters of both secrets.
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

    /** Time in milliseconds for which probes depend on the same secret. */
    static final int SECRET_MS = 300_000;

    /** Segment number directly before the initial one. Every KCP implementation acknowledges such a segment as a duplicate. */
    public static final int DUPLICATE_SN = -1;

    private final SecureRandom random;
    private boolean probed;
    private @Nullable Secret current;
    /** The secret of the probes that were sent before the current secret was created. */
    private @Nullable Secret previous;

    /** A secret, and the addresses that were proved by probes that depend on it. */
    private static final class Secret {

        private final SipHash sipHash;
        private final RecentHashes proven = new RecentHashes(BITS, PERIOD_MS);
        private final long createdMs;

        Secret(SecureRandom random, long nowMs) {
            sipHash = new SipHash(random);
            createdMs = nowMs;
        }

        int probeBase(InetSocketAddress address, int conv) {
            return sipHash.hash(address, conv);
        }

        boolean isEcho(InetSocketAddress address, int conv, int ts, long nowMs) {
            int sentAtMs = ts - probeBase(address, conv);
            int ageMs = (int) nowMs - sentAtMs;
            return ageMs >= 0 && ageMs < PERIOD_MS && (sentAtMs & GRANULARITY_MS - 1) == 0;
        }

        boolean isProven(InetSocketAddress address, int conv, long nowMs) {
            return proven.contains(sipHash.hash64(address, conv), nowMs);
        }
    }

    /** Creates an object that knows no proven addresses, and whose secrets are random. */
    public AddressProofs(SecureRandom random) {
        this.random = random;
    }

    private Secret current(long nowMs) {
        Secret secret = current;
        long ageMs = secret == null ? SECRET_MS : nowMs - secret.createdMs;
        if (secret == null || ageMs >= SECRET_MS) {
            previous = ageMs < 2 * SECRET_MS ? secret : null;
            secret = new Secret(random, nowMs);
            current = secret;
        } else if (ageMs >= 2 * PERIOD_MS) {
            previous = null;
        }
        return secret;
    }

    /** Returns the number that probes add to the clock in their {@code ts}. Only this socket can compute the number. */
    int probeBase(InetSocketAddress address, int conv, long nowMs) {
        return current(nowMs).probeBase(address, conv);
    }

    /**
     * Returns the number that a session with a peer must add to the clock in its {@code ts}. The {@code ts} of the session are newer than
     * those of all probes that depend on the same secret. They depend on 30 random bits, because the peer of an earlier session with the
     * same address and conversation id knows the timestamps of the probes.
     */
    public int sessionBase(InetSocketAddress address, int conv, int random, long nowMs) {
        Secret secret = current(nowMs);
        Secret before = previous;
        Secret probed = before != null && before.isProven(address, conv, nowMs) && !secret.isProven(address, conv, nowMs) ? before : secret;
        return probed.probeBase(address, conv) + (random >>> 2);
    }

    /** Returns {@code true} if any address was probed. Until then, no address is proven, and none can be. */
    public boolean hasProbed() {
        return probed;
    }

    /** Returns the {@code ts} of a probe that is sent now. */
    public int probeTs(InetSocketAddress address, int conv, long nowMs) {
        probed = true;
        return probeBase(address, conv, nowMs) + ((int) nowMs & -GRANULARITY_MS);
    }

    /** Returns {@code true} if the segment at an index of a datagram is the correct response to a probe, which proves the address. */
    public boolean isEcho(InetSocketAddress address, ByteBuf datagram, int offset, long nowMs) {
        return probed && SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_ACK
            && SegmentHeader.sn(datagram, offset) == DUPLICATE_SN && SegmentHeader.len(datagram, offset) == 0
            && isEcho(address, SegmentHeader.conv(datagram, offset), SegmentHeader.ts(datagram, offset), nowMs);
    }

    /** Returns {@code true} if {@code ts} is the correct echo of a probe, which proves the address. */
    public boolean isEcho(InetSocketAddress address, int conv, int ts, long nowMs) {
        return current(nowMs).isEcho(address, conv, ts, nowMs) || isPreviousEcho(address, conv, ts, nowMs);
    }

    private boolean isPreviousEcho(InetSocketAddress address, int conv, int ts, long nowMs) {
        return previous != null && previous.isEcho(address, conv, ts, nowMs);
    }

    /** Adds a peer that has proved its address with a correct echo. */
    public void add(InetSocketAddress address, int conv, int ts, long nowMs) {
        Secret secret = current(nowMs);
        Secret before = previous;
        Secret echoed = before != null && isPreviousEcho(address, conv, ts, nowMs) ? before : secret;
        echoed.proven.add(echoed.sipHash.hash64(address, conv), nowMs);
    }

    /** Returns {@code true} if a peer has recently proved its address for a conversation id. */
    public boolean isProven(InetSocketAddress address, int conv, long nowMs) {
        return current(nowMs).isProven(address, conv, nowMs) || previous != null && previous.isProven(address, conv, nowMs);
    }
}
