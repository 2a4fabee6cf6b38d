package io.kcp.netty.packet;

import io.kcp.netty.internal.base.PartialInputLimit;

/** Gives tests of other packages access to the limit on incomplete packets. */
public final class PacketLimits {

    private PacketLimits() {
    }

    /** Returns a decoder whose incomplete packets count towards a limit. */
    public static PacketDecoder decoder(PartialInputLimit limit) {
        return new PacketDecoder(PacketFormat.DEFAULT, limit);
    }
}
