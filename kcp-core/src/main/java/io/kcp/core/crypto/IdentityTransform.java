package io.kcp.core.crypto;

/** Leaves packets as they are. */
final class ClearTransform implements PacketTransform {

    @Override
    public void encrypt(byte[] packet, int length) {
        // in clear
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        // in clear
    }
}
