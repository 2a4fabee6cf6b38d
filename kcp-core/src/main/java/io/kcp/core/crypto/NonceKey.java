package io.kcp.core.crypto;

import io.kcp.core.internal.hash.SipHashState;
import java.util.function.LongSupplier;

/**
 * A secret key with which all ciphers of one side generate distinct nonces and recognize each other's nonces. Thread-safe if the supplier
 * of range numbers is thread-safe.
 *
 * <p>A nonce is {@code r ‖ t}. {@code r} is a 64-bit counter encrypted with XTEA. {@code t} is SipHash-2-4 of {@code r} under
 * another key: its first 4 bytes in a nonce of 12 bytes, and all 8 bytes in a nonce of 16 bytes.
 * <ul>
 * <li><b>Uniqueness under one key.</b> XTEA is a permutation, so distinct counters give distinct values of {@code r} and thus
 * distinct nonces; no birthday bound applies. Each cipher draws ranges of {@value #NONCES_PER_RANGE} counters, and no range is
 * used twice, so 2<sup>48</sup> nonces are distinct.
 * <li><b>Collisions between keys</b>, of another process or of the peer. Two nonces under independent keys are equal with
 * probability 2<sup>-96</sup> (2<sup>-128</sup> for 16 bytes), from the 64 bits of {@code r} and the bits of {@code t}. Among
 * {@code n} nonces under all keys, a repetition has a probability below {@code n²/2}<sup>97</sup>, as for random nonces.
 * <li><b>Recognition.</b> A nonce is recognized as own if {@code t} matches {@code r}. A foreign nonce matches by chance once in
 * 2<sup>32</sup> (2<sup>64</sup> for 16 bytes). Without the key, nonces cannot be distinguished from random bytes.
 * </ul>
 * Each range starts with {@value #RANDOM_BITS} random bits. If a process is cloned while it runs (snapshot of a virtual machine),
 * the clones therefore repeat the rest of the current range, and each later range with a probability of only 2<sup>-16</sup>.
 */
final class NonceKey {

    /**
     * Number of nonces in one range of counters, which is assigned to a single cipher. A cipher draws random bytes only when it starts a
     * new range.
     */
    static final int NONCES_PER_RANGE = 1 << 16;

    private static final int RANDOM_BITS = 16;
    private static final int PERMUTATION_KEY_BYTES = 16;
    private static final int KEY_BYTES = PERMUTATION_KEY_BYTES + 2 * Long.BYTES;
    private static final long RANGES = 1L << Long.SIZE - RANDOM_BITS - Integer.numberOfTrailingZeros(NONCES_PER_RANGE);

    private final byte[] permutationKey = new byte[PERMUTATION_KEY_BYTES];
    private final long tagKey0;
    private final long tagKey1;
    private final LongSupplier rangeNumbers;

    /**
     * Creates a random key.
     *
     * @param entropy      called once, before the constructor returns
     * @param rangeNumbers returns 0, 1, 2 and so on, each number only once across all threads
     */
    NonceKey(Entropy entropy, LongSupplier rangeNumbers) {
        this.rangeNumbers = rangeNumbers;
        byte[] drawn = new byte[KEY_BYTES];
        entropy.fill(drawn);
        System.arraycopy(drawn, 0, permutationKey, 0, PERMUTATION_KEY_BYTES);
        tagKey0 = Words.longLE(drawn, PERMUTATION_KEY_BYTES);
        tagKey1 = Words.longLE(drawn, PERMUTATION_KEY_BYTES + Long.BYTES);
    }

    /** Creates an instance of the permutation that encrypts counters, for use by one thread. */
    Xtea newPermutation() {
        return new Xtea(permutationKey);
    }

    /** Returns the first counter of a new range that is assigned to no other cipher with this key. */
    long nextRange(Entropy entropy) {
        byte[] bits = new byte[RANDOM_BITS / Byte.SIZE];
        entropy.fill(bits);
        long random = (bits[0] & 0xFFL) << Byte.SIZE | bits[1] & 0xFFL;
        return (random * RANGES + Math.floorMod(rangeNumbers.getAsLong(), RANGES)) * NONCES_PER_RANGE;
    }

    /** Computes the last part of a nonce, {@code t}, from its first 8 bytes, {@code r}. */
    long tag(long first) {
        return new SipHashState(tagKey0, tagKey1).add(first, 2).finish(0, Long.BYTES, 2, 4);
    }

    /** Returns {@code true} if a cipher with this key generated the nonce at {@code offset}. A nonce is 12 or 16 bytes long. */
    boolean isOwn(byte[] bytes, int offset, int length) {
        long tag = tag(Words.longLE(bytes, offset));
        return length == NonceSource.MAX_BYTES
            ? Words.longLE(bytes, offset + Long.BYTES) == tag
            : Words.intLE(bytes, offset + Long.BYTES) == (int) tag;
    }
}
