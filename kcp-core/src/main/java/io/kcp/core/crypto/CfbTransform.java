package io.kcp.core.crypto;

import java.util.HexFormat;

/**
 * Implements CFB mode with a constant initialization vector. Block {@code i} of the key stream is the encryption of block {@code i - 1} of
 * the ciphertext. Encryption therefore proceeds block by block, whereas decryption computes the whole key stream in one call.
 */
final class CfbTransform implements ArrayDatagramCipher {

    /** The initialization vector of every packet, as in kcp-go. Ciphers with blocks of 8 bytes use its first 8 bytes. */
    private static final String INITIALISATION_VECTOR = "a7734f9c12ac1b01a415f2c1fc78e66b";

    private final BlockCipher cipher;
    private final int blockBytes;
    /** The key stream. Its first block is the encrypted initialization vector, so it is the same for every packet. */
    private byte[] stream;

    CfbTransform(BlockCipher cipher) {
        this.cipher = cipher;
        blockBytes = cipher.blockBytes();
        stream = new byte[blockBytes];
        cipher.encrypt(initialisationVector(), 0, stream, 0);
    }

    static byte[] initialisationVector() {
        return HexFormat.of().parseHex(INITIALISATION_VECTOR);
    }

    @Override
    public void encrypt(byte[] packet, int length) {
        byte[] keyStream = streamFor(packet);
        int fedBack = fedBackBytes(length);
        for (int i = 0; i < fedBack; i += blockBytes) {
            for (int j = i; j < i + blockBytes; j += Long.BYTES) {
                Words.putLongLE(packet, j, Words.longLE(packet, j) ^ Words.longLE(keyStream, j));
            }
            cipher.encrypt(packet, i, keyStream, i + blockBytes);
        }
        for (int i = fedBack; i < length; i++) {
            packet[i] ^= keyStream[i];
        }
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        byte[] keyStream = streamFor(packet);
        cipher.encryptBlocks(packet, 0, keyStream, blockBytes, fedBackBytes(length) / blockBytes);
        Words.xor(packet, keyStream, length);
    }

    /** Returns the total length of all blocks except the last one, which may be incomplete and produces no key stream. */
    private int fedBackBytes(int length) {
        return (length - 1) / blockBytes * blockBytes;
    }

    private byte[] streamFor(byte[] packet) {
        if (stream.length < packet.length + blockBytes) {
            byte[] longer = new byte[packet.length + blockBytes];
            System.arraycopy(stream, 0, longer, 0, blockBytes);
            stream = longer;
        }
        return stream;
    }
}
