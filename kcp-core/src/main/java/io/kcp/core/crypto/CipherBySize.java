package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/** Seals and opens small datagrams with one implementation of a cipher and larger datagrams with another one. */
final class CipherBySize implements DatagramCipher {

    private final DatagramCipher small;
    private final DatagramCipher large;
    private final int maxSmallBytes;
    /** The implementation that has opened the latest datagram. */
    private DatagramCipher opened;

    /** Both ciphers must add the same number of bytes. {@code maxSmallBytes} is the size of the largest payload of a small datagram. */
    CipherBySize(DatagramCipher small, DatagramCipher large, int maxSmallBytes) {
        this.small = small;
        this.large = large;
        this.maxSmallBytes = maxSmallBytes;
        opened = large;
    }

    @Override
    public int headBytes() {
        return large.headBytes();
    }

    @Override
    public int tailBytes() {
        return large.tailBytes();
    }

    @Override
    public void seal(ByteBuf datagram) {
        (datagram.readableBytes() <= maxSmallBytes ? small : large).seal(datagram);
    }

    @Override
    public boolean open(ByteBuf datagram) {
        opened = datagram.readableBytes() <= headBytes() + maxSmallBytes + tailBytes() ? small : large;
        return opened.open(datagram);
    }

    @Override
    public boolean refusedReflection() {
        return opened.refusedReflection();
    }
}
