package io.kcp.core.crypto;

/** The transform of the cipher {@code none}, which leaves packets in plaintext. */
final class IdentityTransform implements PacketTransform {

    @Override
    public void encrypt(byte[] packet, int length) {
        // The ciphertext is the plaintext.
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        // The ciphertext is the plaintext.
    }
}
