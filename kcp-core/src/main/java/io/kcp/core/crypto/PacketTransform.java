package io.kcp.core.crypto;

/**
 * Enciphers and deciphers whole packets in an array, each from its first byte, with nothing kept from one to the next.
 * Belongs to one thread.
 */
interface PacketTransform {

    /** Enciphers the first {@code length} bytes of the packet in place; 20 at least. */
    void encrypt(byte[] packet, int length);

    /** Deciphers the first {@code length} bytes of the packet in place; 20 at least. */
    void decrypt(byte[] packet, int length);
}
