package io.kcp.core.crypto;

/** A source of unpredictable bytes for keys and nonces, for example {@code new SecureRandom()::nextBytes}. */
@FunctionalInterface
public interface Entropy {

    /**
     * Fills an array with unpredictable bytes. A {@link DatagramCipher} calls this method on the thread that uses the cipher, when the
     * cipher is created and then once per 65,536 datagrams.
     *
     * @param bytes the array to fill completely
     */
    void fill(byte[] bytes);
}
