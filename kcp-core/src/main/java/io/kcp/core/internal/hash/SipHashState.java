package io.kcp.core.internal.hash;

/**
 * The state of one SipHash computation (Aumasson, Bernstein 2012). SipHash-<i>c</i>-<i>d</i> is
 * {@code add(word, c)} for each 64-bit word of the message, then {@code finish(rest, length, c, d)}.
 *
 * <p>Create the state in the method that finishes it: the JIT compiler then allocates no object and unrolls the rounds. The numbers of
 * rounds are arguments because storing them in fields made the computation 14 % slower.
 */
public final class SipHashState {

    private long v0;
    private long v1;
    private long v2;
    private long v3;

    /**
     * Starts a computation.
     *
     * @param k0 the first 8 bytes of the secret key, little-endian
     * @param k1 the last 8 bytes of the secret key, little-endian
     */
    public SipHashState(long k0, long k1) {
        v0 = k0 ^ 0x736f6d6570736575L;
        v1 = k1 ^ 0x646f72616e646f6dL;
        v2 = k0 ^ 0x6c7967656e657261L;
        v3 = k1 ^ 0x7465646279746573L;
    }

    /**
     * Adds 8 bytes of the message to the hash.
     *
     * @param word              the bytes, little-endian
     * @param compressionRounds <i>c</i>
     * @return this state
     */
    public SipHashState add(long word, int compressionRounds) {
        v3 ^= word;
        rounds(compressionRounds);
        v0 ^= word;
        return this;
    }

    /**
     * Ends the computation.
     *
     * @param rest               the up to 7 bytes of the message after the last whole word, little-endian
     * @param lengthBytes        length of the whole message
     * @param compressionRounds  <i>c</i>
     * @param finalizationRounds <i>d</i>
     * @return the hash
     */
    public long finish(long rest, int lengthBytes, int compressionRounds, int finalizationRounds) {
        add(rest | (long) lengthBytes << 56, compressionRounds);
        v2 ^= 0xff;
        rounds(finalizationRounds);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
