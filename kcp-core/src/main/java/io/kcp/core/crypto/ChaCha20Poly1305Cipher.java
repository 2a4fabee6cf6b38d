package io.kcp.core.crypto;

import java.util.Arrays;

/**
 * ChaCha20-Poly1305 for Java versions that lack vectorized code for this cipher. On these versions, this class takes half the time of the
 * JDK's implementation.
 */
final class ChaCha20Poly1305Cipher extends ArrayAead {

    private final ChaCha20 chaCha;
    private final Poly1305 poly = new Poly1305();
    private final byte[] block = new byte[ChaCha20.BLOCK_BYTES];

    ChaCha20Poly1305Cipher(byte[] key, NonceSource nonces) {
        super(nonces);
        chaCha = new ChaCha20(key);
    }

    /** Derives the Poly1305 key, which is the first block of the key stream. */
    @Override
    void start(byte[] packet, int end) {
        Arrays.fill(block, (byte) 0);
        chaCha.xorBlock(block, 0, Words.intLE(packet, 0), Words.intLE(packet, 4), Words.intLE(packet, 8), 0);
        poly.start(block);
    }

    /** XORs the text with the key stream, skipping the first block of the key stream. */
    @Override
    void xorWithStream(byte[] packet, int end) {
        int n0 = Words.intLE(packet, 0);
        int n1 = Words.intLE(packet, 4);
        int n2 = Words.intLE(packet, 8);
        int offset = NONCE_BYTES;
        int counter = 1;
        for (; offset <= end - block.length; offset += block.length) {
            chaCha.xorBlock(packet, offset, n0, n1, n2, counter++);
        }
        System.arraycopy(packet, offset, block, 0, end - offset);
        chaCha.xorBlock(block, 0, n0, n1, n2, counter);
        System.arraycopy(block, 0, packet, offset, end - offset);
    }

    /** Computes the Poly1305 tag over the zero-padded ciphertext and the length of the ciphertext. */
    @Override
    void computeTag(byte[] packet, int end) {
        int length = end - NONCE_BYTES;
        int whole = length / Poly1305.BLOCK_BYTES * Poly1305.BLOCK_BYTES;
        poly.update(packet, NONCE_BYTES, whole);
        Arrays.fill(block, 0, 2 * Poly1305.BLOCK_BYTES, (byte) 0);
        System.arraycopy(packet, NONCE_BYTES + whole, block, 0, length - whole);
        // Appends the length of the associated data, which is 0, and the length of the ciphertext.
        Words.putLongLE(block, Poly1305.BLOCK_BYTES + Long.BYTES, length);
        if (length > whole) {
            poly.update(block, 0, 2 * Poly1305.BLOCK_BYTES);
        } else {
            poly.update(block, Poly1305.BLOCK_BYTES, Poly1305.BLOCK_BYTES);
        }
        poly.finish();
    }

    @Override
    long tagLow() {
        return poly.tagLow();
    }

    @Override
    long tagHigh() {
        return poly.tagHigh();
    }
}
