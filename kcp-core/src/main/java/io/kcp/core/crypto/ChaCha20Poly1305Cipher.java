package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Seals datagrams as {@code nonce (12) | ciphertext | tag (16)} with ChaCha20-Poly1305 on Java versions that lack vectorized code for this
 * cipher. On these versions, this class takes half the time of the JDK's implementation. It allocates no memory and throws no exception for
 * a forged datagram.
 */
final class ChaCha20Poly1305Cipher implements PacketCipher {

    private static final int NONCE_BYTES = AeadCipher.NONCE_BYTES;
    private static final int TAG_BYTES = AeadCipher.TAG_BYTES;

    private final ChaCha20 chaCha;
    private final Poly1305 poly = new Poly1305();
    private final NonceSource nonces;
    private final ScratchBuffer scratch = new ScratchBuffer();
    private final byte[] block = new byte[ChaCha20.BLOCK_BYTES];
    private boolean refusedReflection;

    ChaCha20Poly1305Cipher(byte[] key, NonceSource nonces) {
        chaCha = new ChaCha20(key);
        this.nonces = nonces;
    }

    @Override
    public int headBytes() {
        return NONCE_BYTES;
    }

    @Override
    public int tailBytes() {
        return TAG_BYTES;
    }

    @Override
    public void seal(ByteBuf datagram) {
        ScratchBuffer.requireRoom(datagram, NONCE_BYTES, TAG_BYTES);
        int end = NONCE_BYTES + datagram.readableBytes();
        byte[] packet = scratch.forLength(end + TAG_BYTES);
        ScratchBuffer.copyReadable(datagram, packet, NONCE_BYTES);
        nonces.next(packet, NONCE_BYTES);
        xorWithStream(packet, end);
        computeTag(packet, end);
        Words.putLongLE(packet, end, poly.tagLow());
        Words.putLongLE(packet, end + Long.BYTES, poly.tagHigh());
        int start = datagram.readerIndex() - NONCE_BYTES;
        datagram.setBytes(start, packet, 0, end + TAG_BYTES);
        datagram.setIndex(start, start + end + TAG_BYTES);
    }

    @Override
    public boolean open(ByteBuf datagram) {
        int length = datagram.readableBytes();
        int end = length - TAG_BYTES;
        refusedReflection = false;
        if (end < NONCE_BYTES || length > ScratchBuffer.MAX_DATAGRAM_BYTES) {
            return false;
        }
        byte[] packet = scratch.forLength(length);
        ScratchBuffer.copyReadable(datagram, packet, 0);
        if (nonces.isOwn(packet, 0, NONCE_BYTES)) {
            refusedReflection = true;
            return false;
        }
        computeTag(packet, end);
        if ((poly.tagLow() ^ Words.longLE(packet, end) | poly.tagHigh() ^ Words.longLE(packet, end + Long.BYTES)) != 0) {
            return false;
        }
        xorWithStream(packet, end);
        int start = datagram.readerIndex() + NONCE_BYTES;
        datagram.setBytes(start, packet, NONCE_BYTES, end - NONCE_BYTES);
        datagram.setIndex(start, start + end - NONCE_BYTES);
        return true;
    }

    @Override
    public boolean refusedReflection() {
        return refusedReflection;
    }

    /** XORs the bytes between the nonce and {@code end} with the key stream, skipping the first block of the key stream. */
    private void xorWithStream(byte[] packet, int end) {
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

    /**
     * Computes the Poly1305 tag over the zero-padded ciphertext and the length of the ciphertext. The first block of the key stream is the
     * Poly1305 key.
     */
    private void computeTag(byte[] packet, int end) {
        Arrays.fill(block, (byte) 0);
        chaCha.xorBlock(block, 0, Words.intLE(packet, 0), Words.intLE(packet, 4), Words.intLE(packet, 8), 0);
        poly.start(block);
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
}
