package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * Seals datagrams as {@code nonce (12) | ciphertext | tag (16)} with an AEAD cipher that is implemented in this package and works on byte
 * arrays. It allocates no memory and throws no exception for a forged datagram.
 */
abstract class ArrayAead implements DatagramCipher {

    static final int NONCE_BYTES = 12;
    static final int TAG_BYTES = 16;

    private final NonceSource nonces;
    private final ScratchBuffer scratch = new ScratchBuffer();
    private boolean refusedReflection;

    ArrayAead(NonceSource nonces) {
        this.nonces = nonces;
    }

    /** Prepares the cipher for a packet whose first 12 bytes are the nonce and whose text ends at {@code end}. */
    abstract void start(byte[] packet, int end);

    /** XORs the bytes between the nonce and {@code end} with the key stream. */
    abstract void xorWithStream(byte[] packet, int end);

    /** Computes the tag of the ciphertext between the nonce and {@code end}. May change the 16 bytes that follow {@code end}. */
    abstract void computeTag(byte[] packet, int end);

    /** Returns bytes 0 to 7 of the computed tag, little-endian. */
    abstract long tagLow();

    /** Returns bytes 8 to 15 of the computed tag, little-endian. */
    abstract long tagHigh();

    @Override
    public final int headBytes() {
        return NONCE_BYTES;
    }

    @Override
    public final int tailBytes() {
        return TAG_BYTES;
    }

    @Override
    public final void seal(ByteBuf datagram) {
        ScratchBuffer.requireRoom(datagram, NONCE_BYTES, TAG_BYTES);
        int end = NONCE_BYTES + datagram.readableBytes();
        byte[] packet = scratch.forLength(end + TAG_BYTES);
        ScratchBuffer.copyReadable(datagram, packet, NONCE_BYTES);
        nonces.next(packet, NONCE_BYTES);
        start(packet, end);
        xorWithStream(packet, end);
        computeTag(packet, end);
        Words.putLongLE(packet, end, tagLow());
        Words.putLongLE(packet, end + Long.BYTES, tagHigh());
        int start = datagram.readerIndex() - NONCE_BYTES;
        datagram.setBytes(start, packet, 0, end + TAG_BYTES);
        datagram.setIndex(start, start + end + TAG_BYTES);
    }

    @Override
    public final boolean open(ByteBuf datagram) {
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
        long low = Words.longLE(packet, end);
        long high = Words.longLE(packet, end + Long.BYTES);
        start(packet, end);
        computeTag(packet, end);
        if ((tagLow() ^ low | tagHigh() ^ high) != 0) {
            return false;
        }
        xorWithStream(packet, end);
        int start = datagram.readerIndex() + NONCE_BYTES;
        datagram.setBytes(start, packet, NONCE_BYTES, end - NONCE_BYTES);
        datagram.setIndex(start, start + end - NONCE_BYTES);
        return true;
    }

    @Override
    public final boolean refusedReflection() {
        return refusedReflection;
    }
}
