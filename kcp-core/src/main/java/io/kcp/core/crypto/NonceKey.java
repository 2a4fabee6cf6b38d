package io.kcp.core.crypto;

import io.kcp.core.hash.SipHashState;
import java.util.function.LongSupplier;

/**
 * The secret by which all ciphers of one side make nonces that differ, and recognise each other's. Safe for use by several
 * threads, as far as the numbers of runs are.
 *
 * <p>A nonce is {@code r ‖ t}. {@code r} is a counter of 64 bits enciphered with XTEA, and {@code t} is the first 4 bytes (of a
 * nonce of 12) or all 8 bytes (of 16) of SipHash-2-4 of {@code r}, under another key.
 * <ul>
 * <li><b>Uniqueness within a key.</b> XTEA is a permutation: different counters give different {@code r}, and so different
 * nonces. No birthday bound applies. Each cipher takes runs of {@value #NONCES_PER_RUN} counters, and no two ciphers
 * the same run; 2<sup>48</sup> nonces differ.
 * <li><b>Collisions between keys</b> (of another process, or of the peer). Two nonces made under independent keys are equal
 * with probability 2<sup>-96</sup> (2<sup>-128</sup> for 16 bytes): 64 bits of {@code r} times the bits of {@code t}. {@code n}
 * nonces under all keys together repeat one with a probability below {@code n²/2}<sup>97</sup>, as random ones do.
 * <li><b>Recognition.</b> A nonce is its own if {@code t} fits to {@code r}: a foreign nonce does by chance once in
 * 2<sup>32</sup> (2<sup>64</sup>). Nobody without the key can tell such a nonce from a random one.
 * </ul>
 * A run begins with {@value #FRESH_BITS} fresh random bits, so that a process that is cloned while it runs (snapshot of a
 * virtual machine) repeats the rest of a run for certain, and each later one with a probability of 2<sup>-16</sup>.
 */
final class NonceKey {

    /** Nonces between two draws from the entropy. */
    static final int NONCES_PER_RUN = 1 << 16;

    private static final int FRESH_BITS = 16;
    private static final int PERMUTATION_KEY_BYTES = 16;
    private static final int KEY_BYTES = PERMUTATION_KEY_BYTES + 2 * Long.BYTES;
    private static final long RUNS = 1L << Long.SIZE - FRESH_BITS - Integer.numberOfTrailingZeros(NONCES_PER_RUN);

    private final byte[] permutationKey = new byte[PERMUTATION_KEY_BYTES];
    private final long tagKey0;
    private final long tagKey1;
    private final LongSupplier runNumbers;

    /**
     * Draws a key.
     *
     * @param entropy    called once, before this returns
     * @param runNumbers returns each number only once, to whichever thread; 0, 1, 2 and so on
     */
    NonceKey(Entropy entropy, LongSupplier runNumbers) {
        this.runNumbers = runNumbers;
        byte[] drawn = new byte[KEY_BYTES];
        entropy.fill(drawn);
        System.arraycopy(drawn, 0, permutationKey, 0, PERMUTATION_KEY_BYTES);
        tagKey0 = Words.longLE(drawn, PERMUTATION_KEY_BYTES);
        tagKey1 = Words.longLE(drawn, PERMUTATION_KEY_BYTES + Long.BYTES);
    }

    /** Returns the permutation of counters, with buffers for one thread. */
    Xtea newPermutation() {
        return new Xtea(permutationKey);
    }

    /** Returns the first counter of a run that no other cipher of this key gets. */
    long nextRun(Entropy entropy) {
        byte[] fresh = new byte[FRESH_BITS / Byte.SIZE];
        entropy.fill(fresh);
        long random = (fresh[0] & 0xFFL) << Byte.SIZE | fresh[1] & 0xFFL;
        return (random * RUNS + Math.floorMod(runNumbers.getAsLong(), RUNS)) * NONCES_PER_RUN;
    }

    /** Returns the second part of the nonce that begins with {@code first}. */
    long tag(long first) {
        return new SipHashState(tagKey0, tagKey1).add(first, 2).finish(0, Long.BYTES, 2, 4);
    }

    /** Returns {@code true} if a cipher of this key made the nonce of {@code length} bytes, 12 or 16, at the offset. */
    boolean isOwn(byte[] bytes, int offset, int length) {
        long tag = tag(Words.longLE(bytes, offset));
        return length == NonceSource.MAX_BYTES
            ? Words.longLE(bytes, offset + Long.BYTES) == tag
            : Words.intLE(bytes, offset + Long.BYTES) == (int) tag;
    }
}
