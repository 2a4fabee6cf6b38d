package io.kcp.netty.internal.admission;

import io.netty.buffer.ByteBuf;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers datagrams that could open a session, so that an attacker cannot open a session by replaying a recorded datagram. All sockets of
 * a server share one filter, because a copy may arrive at any of them.
 *
 * <p>Two Bloom filters are used alternately. A datagram is remembered for {@value #PERIOD_MS} to twice that many milliseconds, or less if
 * more than {@value #MAX_ENTRIES} arrive in one period. About one new datagram in a million is mistaken for a replayed one, which is
 * harmless because its sender retransmits it with another {@code ts}.
 *
 * <p>Datagrams that could open a session are added even if their session is open. A session therefore adds one entry per transmission of
 * its first segment. {@link #shortPeriods} counts the periods that ended early because there were too many entries.
 *
 * <p>This class is thread-safe. {@code SECURITY.md} describes replay attacks.
 */
public final class ReplayFilter {

    static final long PERIOD_MS = 600_000;
    static final int MAX_ENTRIES = 800_000;
    /**
     * Number of bits that are set for each entry. With eight bits, one false positive in a million requires 41 bits of memory per entry,
     * and this filter has 42.
     */
    private static final int PROBES = 8;
    private static final int BITS = 1 << 25;

    private static final class Generation {
        final BloomFilter datagrams = new BloomFilter(BITS, PROBES);
        final long startedAtMs;
        final @Nullable BloomFilter previous;
        final AtomicInteger entries = new AtomicInteger();

        Generation(long startedAtMs, @Nullable BloomFilter previous) {
            this.startedAtMs = startedAtMs;
            this.previous = previous;
        }
    }

    /**
     * Number of locks. All copies of one datagram use the same lock, so that only one of them is new even if several sockets receive copies
     * concurrently.
     */
    private static final int STRIPES = 64;
    private static final int STRIPE_SHIFT = Long.SIZE - 6;

    private final Object[] stripes = new Object[STRIPES];
    private final AtomicLong shortPeriods = new AtomicLong();
    private final SipHash sipHash;
    private final AtomicReference<@Nullable Generation> current = new AtomicReference<>();

    /** Creates a filter whose hash function has a random key. */
    public ReplayFilter(SecureRandom random) {
        sipHash = new SipHash(random);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    /**
     * Adds a datagram.
     *
     * @param datagram the decrypted datagram, <b>borrowed</b>
     * @param nowMs    the time of a clock that all sockets of the filter share
     * @return {@code true} if an identical datagram was added before
     */
    public boolean testAndAdd(ByteBuf datagram, long nowMs) {
        long hash = sipHash.hash(datagram);
        synchronized (stripes[(int) (hash >>> STRIPE_SHIFT)]) {
            Generation generation = generation(nowMs);
            if (generation.datagrams.contains(hash)) {
                return true;
            }
            BloomFilter previous = generation.previous;
            boolean known = previous != null && previous.contains(hash);
            generation.datagrams.add(hash);
            generation.entries.incrementAndGet();
            return known;
        }
    }

    /** Returns the number of periods that ended early because the filter was full. */
    public long shortPeriods() {
        return shortPeriods.get();
    }

    private Generation generation(long nowMs) {
        Generation generation = current.get();
        if (generation != null && nowMs - generation.startedAtMs < PERIOD_MS && generation.entries.get() < MAX_ENTRIES) {
            return generation;
        }
        BloomFilter previous =
            generation != null && nowMs - generation.startedAtMs < 2 * PERIOD_MS ? generation.datagrams : null;
        Generation next = new Generation(nowMs, previous);
        if (current.compareAndSet(generation, next)) {
            if (generation != null && nowMs - generation.startedAtMs < PERIOD_MS) {
                shortPeriods.incrementAndGet();
            }
            return next;
        }
        Generation others = current.get();
        return others != null ? others : next;
    }
}
