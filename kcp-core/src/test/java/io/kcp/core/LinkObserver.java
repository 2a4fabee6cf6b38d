package io.kcp.core;

import io.netty.buffer.ByteBuf;

/** Watches what is sent over a simulated link. */
@FunctionalInterface
public interface LinkObserver {

    /**
     * A datagram was handed to the link.
     *
     * @param datagram the datagram, <b>borrowed</b> and not to be changed
     * @param fate     what will become of it
     * @param nowUs    virtual time in microseconds
     */
    void onSent(ByteBuf datagram, LinkFate fate, long nowUs);
}
