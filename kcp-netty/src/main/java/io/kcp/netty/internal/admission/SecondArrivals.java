package io.kcp.netty.internal.admission;

import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * Remembers the address and conversation id of first datagrams, so that a server under load can open a session only when the first
 * datagram is retransmitted. Every KCP client retransmits it after about 200 ms, whereas most floods send each forged datagram once.
 *
 * <p>An entry is remembered for one to two periods. A period is {@value #MAX_PERIOD_MS} ms long. If too many remembered datagrams arrive
 * again, a flood is repeating its datagrams. {@link #shorten} then halves the period, down to {@value #MIN_PERIOD_MS} ms, so that the
 * entries of a flood from many addresses expire before the flood repeats them, whereas the entries of clients do not. If shorter periods do
 * not help within {@value #TRIAL_MS} ms, because the flood repeats each datagram immediately, the period is reset to its maximum, so that
 * clients with a long retransmission timeout are remembered, too.
 *
 * <p>This class is used on the event loop of one socket only. It allocates its filters, 512 KiB, with the first entry.
 */
public final class SecondArrivals {

    static final int MAX_PERIOD_MS = 4_000;
    static final int MIN_PERIOD_MS = 600;
    /** Minimum time between two changes of the period. */
    private static final int SHORTEN_INTERVAL_MS = 100;
    /**
     * Time without a call of {@link #shorten} after which the period is doubled. A period that was reset is not shortened for the same
     * time.
     */
    static final int RECOVERY_MS = 10_000;
    /** Time in milliseconds for which the shortest period is used before it is reset. */
    static final int TRIAL_MS = 2_000;
    /**
     * Number of bits of a filter. With 200,000 entries, one new entry in a hundred is mistaken for a remembered one, and its datagram is
     * then accepted without a retransmission.
     */
    private static final int BITS = 1 << 21;
    /** A time that is longer ago than any interval. It leaves room for the subtraction from any other time. */
    private static final long LONG_AGO_MS = Long.MIN_VALUE / 2;

    private final SipHash sipHash;
    private final RecentHashes recent = new RecentHashes(BITS, MAX_PERIOD_MS);
    private long changedAtMs = LONG_AGO_MS;
    /** Time at which the shortest period was first used in the current attempt. */
    private long trialAtMs;
    private long resetAtMs = LONG_AGO_MS;

    /** Creates an object that remembers nothing yet, and whose hash function has a random key. */
    public SecondArrivals(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Adds an address and a conversation id. Returns {@code true} if they were added within the last period. */
    public boolean testAndAdd(InetSocketAddress address, int conv, long nowMs) {
        long hash = sipHash.hash64(address, conv);
        boolean beginsPeriod = recent.isPeriodOver(nowMs);
        boolean known = recent.contains(hash, nowMs);
        recent.add(hash, nowMs);
        if (beginsPeriod && recent.periodMs() < MAX_PERIOD_MS && nowMs - changedAtMs >= RECOVERY_MS) {
            changePeriod(Math.min(MAX_PERIOD_MS, recent.periodMs() << 1), nowMs);
        }
        return known;
    }

    /** Halves the period, at most once in {@value #SHORTEN_INTERVAL_MS} ms, or resets it if the shortest period does not help. */
    public void shorten(long nowMs) {
        if (nowMs - changedAtMs < SHORTEN_INTERVAL_MS || nowMs - resetAtMs < RECOVERY_MS) {
            return;
        }
        if (recent.periodMs() > MIN_PERIOD_MS) {
            trialAtMs = nowMs;
            changePeriod(Math.max(MIN_PERIOD_MS, recent.periodMs() >> 1), nowMs);
        } else if (nowMs - trialAtMs >= TRIAL_MS) {
            resetAtMs = nowMs;
            changePeriod(MAX_PERIOD_MS, nowMs);
        } else {
            changedAtMs = nowMs;
        }
    }

    /** Returns the current period in milliseconds. */
    int periodMs() {
        return recent.periodMs();
    }

    private void changePeriod(int ms, long nowMs) {
        recent.periodMs(ms);
        changedAtMs = nowMs;
    }
}
