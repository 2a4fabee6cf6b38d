package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32;

/** Seals datagrams as {@code nonce (16) | CRC-32 of the payload (4) | payload} and encrypts this packet as a whole. */
final class ChecksummedCipher implements DatagramCipher {

    static final int HEAD_BYTES = 20;

    private static final int NONCE_BYTES = 16;

    private final ArrayDatagramCipher transform;
    private final NonceSource nonces;
    private final ScratchBuffer scratch = new ScratchBuffer();
    private final CRC32 crc = new CRC32();
    private boolean refusedReflection;

    ChecksummedCipher(ArrayDatagramCipher transform, NonceSource nonces) {
        this.transform = transform;
        this.nonces = nonces;
    }

    @Override
    public int headBytes() {
        return HEAD_BYTES;
    }

    @Override
    public int tailBytes() {
        return 0;
    }

    @Override
    public void seal(ByteBuf datagram) {
        ScratchBuffer.requireRoom(datagram, HEAD_BYTES, 0);
        int length = HEAD_BYTES + datagram.readableBytes();
        byte[] packet = scratch.forLength(length);
        ScratchBuffer.copyReadable(datagram, packet, HEAD_BYTES);
        nonces.next(packet, NONCE_BYTES);
        Words.putIntLE(packet, NONCE_BYTES, payloadCrc(packet, length));
        transform.encrypt(packet, length);
        int start = datagram.readerIndex() - HEAD_BYTES;
        datagram.setBytes(start, packet, 0, length);
        datagram.readerIndex(start);
    }

    @Override
    public boolean open(ByteBuf datagram) {
        int length = datagram.readableBytes();
        refusedReflection = false;
        if (length < HEAD_BYTES || length > ScratchBuffer.MAX_DATAGRAM_BYTES) {
            return false;
        }
        byte[] packet = scratch.forLength(length);
        ScratchBuffer.copyReadable(datagram, packet, 0);
        transform.decrypt(packet, length);
        // The nonce is encrypted too, so it can be checked only after decryption. For the consequences of a CRC that does not cover the
        // nonce, see the package documentation.
        if (nonces.isOwn(packet, 0, NONCE_BYTES)) {
            refusedReflection = true;
            return false;
        }
        if (Words.intLE(packet, NONCE_BYTES) != payloadCrc(packet, length)) {
            return false;
        }
        int start = datagram.readerIndex() + HEAD_BYTES;
        datagram.setBytes(start, packet, HEAD_BYTES, length - HEAD_BYTES);
        datagram.readerIndex(start);
        return true;
    }

    @Override
    public boolean refusedReflection() {
        return refusedReflection;
    }

    private int payloadCrc(byte[] packet, int length) {
        crc.reset();
        crc.update(packet, HEAD_BYTES, length - HEAD_BYTES);
        return (int) crc.getValue();
    }
}
