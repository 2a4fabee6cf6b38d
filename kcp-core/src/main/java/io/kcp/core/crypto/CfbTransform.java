package io.kcp.core.crypto;

/**
 * CFB mode with the constant initialisation vector: block {@code i} of the key stream is block {@code i - 1} of the
 * ciphertext enciphered once more. Sealing goes block after block, opening takes all at once.
 */
final class FeedbackTransform implements PacketTransform {

    private final BlockFunction cipher;
    private final int blockBytes;
    /** The key stream. Its first block is the same for every packet. */
    private byte[] stream;

    FeedbackTransform(BlockFunction cipher) {
        this.cipher = cipher;
        blockBytes = cipher.blockBytes();
        stream = new byte[blockBytes];
        cipher.encipher(FeedbackVector.bytes(), 0, stream, 0);
    }

    @Override
    public void encrypt(byte[] packet, int length) {
        byte[] keyStream = streamFor(packet);
        int fedBack = fedBackBytes(length);
        for (int i = 0; i < fedBack; i += blockBytes) {
            for (int j = i; j < i + blockBytes; j += Long.BYTES) {
                Words.putLongLE(packet, j, Words.longLE(packet, j) ^ Words.longLE(keyStream, j));
            }
            cipher.encipher(packet, i, keyStream, i + blockBytes);
        }
        for (int i = fedBack; i < length; i++) {
            packet[i] ^= keyStream[i];
        }
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        byte[] keyStream = streamFor(packet);
        cipher.encipherAll(packet, 0, keyStream, blockBytes, fedBackBytes(length) / blockBytes);
        Words.xor(packet, keyStream, length);
    }

    /** All blocks but the last, whole or not: nothing comes after it. */
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
