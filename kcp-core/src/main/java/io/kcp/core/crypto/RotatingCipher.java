package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/** Seals with the first of several ciphers and opens with any: for the time in which keys are changed. */
final class RotatingCipher implements PacketCipher {

    private final PacketCipher[] ciphers;
    private int lastOpener;
    private boolean refusedReflection;

    RotatingCipher(PacketCipher[] ciphers) {
        this.ciphers = ciphers;
    }

    @Override
    public int headBytes() {
        return ciphers[0].headBytes();
    }

    @Override
    public int tailBytes() {
        return ciphers[0].tailBytes();
    }

    @Override
    public void seal(ByteBuf datagram) {
        ciphers[0].seal(datagram);
    }

    @Override
    public boolean open(ByteBuf datagram) {
        refusedReflection = false;
        // Datagrams come in runs from one peer: what opened the last one will mostly open this one.
        if (ciphers[lastOpener].open(datagram)) {
            return true;
        }
        refusedReflection = ciphers[lastOpener].refusedReflection();
        for (int i = 0; i < ciphers.length && !refusedReflection; i++) {
            if (i != lastOpener) {
                if (ciphers[i].open(datagram)) {
                    lastOpener = i;
                    return true;
                }
                refusedReflection = ciphers[i].refusedReflection();
            }
        }
        return false;
    }

    @Override
    public boolean refusedReflection() {
        return refusedReflection;
    }
}
