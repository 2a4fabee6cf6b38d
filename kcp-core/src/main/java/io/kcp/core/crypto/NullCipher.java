package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/** Implements the cipher {@code null}, which leaves datagrams unchanged and opens every datagram. */
final class NullCipher implements DatagramCipher {

    @Override
    public int headBytes() {
        return 0;
    }

    @Override
    public int tailBytes() {
        return 0;
    }

    @Override
    public void seal(ByteBuf datagram) {
        // Does nothing, because the payload is sent unchanged.
    }

    @Override
    public boolean open(ByteBuf datagram) {
        return true;
    }
}
