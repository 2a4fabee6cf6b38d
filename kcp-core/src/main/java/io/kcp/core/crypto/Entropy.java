package io.kcp.core.crypto;

/** Where the randomness comes from that nobody may guess, for example {@code new SecureRandom()::nextBytes}. */
@FunctionalInterface
public interface Entropy {

    /**
     * Fills an array with unpredictable bytes. Called by the thread that owns the {@link PacketCipher}, when it is made
     * and then once in 65,536 datagrams.
     *
     * @param bytes what to fill, all of it
     */
    void fill(byte[] bytes);
}
