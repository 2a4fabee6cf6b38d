package io.kcp.core.crypto;

/**
 * Encrypts and decrypts one whole packet, stored at the start of a byte array, independently of all other packets. An instance is used by
 * one thread.
 */
interface ArrayDatagramCipher {

    /** Encrypts the first {@code length} bytes of a packet in place. The length is at least 20. */
    void encrypt(byte[] packet, int length);

    /** Decrypts the first {@code length} bytes of a packet in place. The length is at least 20. */
    void decrypt(byte[] packet, int length);
}
