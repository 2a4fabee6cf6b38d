package io.kcp.core;

import io.netty.buffer.ByteBuf;

/** The far end of a simulated link. */
@FunctionalInterface
public interface LinkReceiver {

    /**
     * A datagram arrives.
     *
     * @param datagram the datagram, <b>taken</b>
     */
    void receive(ByteBuf datagram);
}
