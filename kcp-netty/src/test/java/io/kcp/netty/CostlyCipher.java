package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * A cipher for tests that adds a checksum instead of encrypting, and calls an action for each datagram that it tries to decrypt. The action
 * usually advances a simulated clock by the time of one decryption.
 */
final class CostlyCipher implements DatagramCipher {

    private static final int TAG_BYTES = 4;
    private static final int KEY = 0x4b435021;

    private final Runnable onOpen;

    private CostlyCipher(Runnable onOpen) {
        this.onOpen = onOpen;
    }

    static CryptoConfig config(Runnable onOpen) {
        return CryptoConfig.custom("costly", true, TAG_BYTES, 0, entropy -> new CostlyCipher(onOpen));
    }

    /** Returns a datagram that cannot be decrypted. The caller must release it. */
    static ByteBuf forged(ByteBufAllocator allocator) {
        return allocator.directBuffer(60).writeZero(60);
    }

    @Override
    public int headBytes() {
        return TAG_BYTES;
    }

    @Override
    public int tailBytes() {
        return 0;
    }

    private static int tag(ByteBuf payload) {
        int tag = KEY;
        for (int i = payload.readerIndex(); i < payload.writerIndex(); i++) {
            tag = 31 * tag + payload.getByte(i);
        }
        return tag;
    }

    @Override
    public void seal(ByteBuf datagram) {
        int tag = tag(datagram);
        datagram.readerIndex(datagram.readerIndex() - TAG_BYTES);
        datagram.setInt(datagram.readerIndex(), tag);
    }

    @Override
    public boolean open(ByteBuf datagram) {
        onOpen.run();
        if (datagram.readableBytes() < TAG_BYTES) {
            return false;
        }
        int tag = datagram.getInt(datagram.readerIndex());
        datagram.skipBytes(TAG_BYTES);
        if (tag(datagram) == tag) {
            return true;
        }
        datagram.readerIndex(datagram.readerIndex() - TAG_BYTES);
        return false;
    }
}
