package io.kcp.core.crypto;

/** Encrypts and decrypts whole packets in an array, each independently of the others. For use by one thread. */
interface PacketTransform {

    /** Encrypts the first {@code length} bytes of the packet in place; {@code length} is at least 20. */
    void encrypt(byte[] packet, int length);

    /** Decrypts the first {@code length} bytes of the packet in place; {@code length} is at least 20. */
    void decrypt(byte[] packet, int length);
}
