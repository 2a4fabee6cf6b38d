package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the datagrams that could open a session, so that a recording of one opens nothing when it is sent again from
 * another address. All sockets of a server share one, as the copy may reach any of them.
 *
 * <p>Two Bloom filters take turns: what was seen is known for {@value #PERIOD_MS} ms at least and twice that at most, or
 * for less if more than {@value #MAX_ENTRIES} come meanwhile. About one datagram in a million is taken for a known one by
 * mistake; its sender repeats it, with another {@code ts}.
 *
 * <p>Every datagram counts that could open a session, those of an open one included. A session makes one entry for each transmission
 * of its first segment. {@link #earlyTurns} counts the periods that ended early because there were too many entries.
 *
 * <p>May be used by any thread. Threat T6 of the hardening notes in {@code security.md}.
 */
final class ReplayFilter {

    static final long PERIOD_MS = 600_000;
    static final int MAX_ENTRIES = 800_000;
    /** Eight probes of one bit need 41 bits an entry for one mistake in a million; these have 42. */
    private static final int PROBES = 8;
    private static final int BITS = 1 << 25;

    private static final class Generation {
        final AtomicLongArray bits = new AtomicLongArray(BITS >>> 6);
        final long startedAtMs;
        final @Nullable AtomicLongArray previous;
        final AtomicInteger entries = new AtomicInteger();

        Generation(long startedAtMs, @Nullable AtomicLongArray previous) {
            this.startedAtMs = startedAtMs;
            this.previous = previous;
        }
    }

    /** Copies of one datagram on several sockets at once: the same stripe, so that only one is the first. */
    private static final int STRIPES = 64;
    private static final int STRIPE_SHIFT = Long.SIZE - 6;

    private final Object[] stripes = new Object[STRIPES];
    private final AtomicLong earlyTurns = new AtomicLong();
    private final SipHash sipHash;
    private final AtomicReference<@Nullable Generation> current = new AtomicReference<>();

    ReplayFilter(SecureRandom random) {
        sipHash = new SipHash(random);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    /**
     * Notes a datagram.
     *
     * @param datagram deciphered, <b>borrowed</b>
     * @param nowMs    the clock of all that share the filter
     * @return whether it was noted before
     */
    boolean addAndTellIfKnown(ByteBuf datagram, long nowMs) {
        long hash = sipHash.hash(datagram);
        synchronized (stripes[(int) (hash >>> STRIPE_SHIFT)]) {
            Generation generation = generation(nowMs);
            if (contains(generation.bits, hash)) {
                return true;
            }
            AtomicLongArray previous = generation.previous;
            boolean known = previous != null && contains(previous, hash);
            add(generation, hash);
            return known;
        }
    }

    /** Returns how often a filter was full before its time, so that what it knows is forgotten sooner. */
    long earlyTurns() {
        return earlyTurns.get();
    }

    private Generation generation(long nowMs) {
        Generation generation = current.get();
        if (generation != null && nowMs - generation.startedAtMs < PERIOD_MS && generation.entries.get() < MAX_ENTRIES) {
            return generation;
        }
        AtomicLongArray previous =
            generation != null && nowMs - generation.startedAtMs < 2 * PERIOD_MS ? generation.bits : null;
        Generation next = new Generation(nowMs, previous);
        if (current.compareAndSet(generation, next)) {
            if (generation != null && nowMs - generation.startedAtMs < PERIOD_MS) {
                earlyTurns.incrementAndGet();
            }
            return next;
        }
        Generation others = current.get();
        return others != null ? others : next;
    }

    private static boolean contains(AtomicLongArray bits, long hash) {
        int step = step(hash);
        int bit = (int) hash;
        for (int i = 0; i < PROBES; i++, bit += step) {
            if ((bits.getAcquire((bit & BITS - 1) >>> 6) & 1L << bit) == 0) {
                return false;
            }
        }
        return true;
    }

    private static void add(Generation generation, long hash) {
        int step = step(hash);
        int bit = (int) hash;
        for (int i = 0; i < PROBES; i++, bit += step) {
            int index = (bit & BITS - 1) >>> 6;
            long mask = 1L << bit;
            long word = generation.bits.getAcquire(index);
            while ((word & mask) == 0 && !generation.bits.weakCompareAndSetRelease(index, word, word | mask)) {
                word = generation.bits.getAcquire(index);
            }
        }
        generation.entries.incrementAndGet();
    }

    /** Odd, so that the probes of one entry are all different. */
    private static int step(long hash) {
        return (int) (hash >>> 32) | 1;
    }
}
