package io.kcp.core.crypto;

/** Implements the cipher {@code none}, which sends packets in plaintext. */
final class IdentityTransform implements ArrayDatagramCipher {

    @Override
    public void encrypt(byte[] packet, int length) {
        // Does nothing, because the ciphertext equals the plaintext.
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        // Does nothing, because the ciphertext equals the plaintext.
    }
}
