package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/** Seals datagrams with the first of several ciphers and opens datagrams sealed with any of them, which is needed during a key rotation. */
final class MultiKeyCipher implements DatagramCipher {

    private final DatagramCipher[] ciphers;
    private int lastOpener;
    private boolean refusedReflection;

    MultiKeyCipher(DatagramCipher[] ciphers) {
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
        // Datagrams often arrive in bursts from one peer, so the cipher that opened the previous datagram is tried first.
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
