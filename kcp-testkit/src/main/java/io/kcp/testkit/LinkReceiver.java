package io.kcp.testkit;

import io.netty.buffer.ByteBuf;

/** Receives the datagrams of a {@link SimulatedLink}. */
@FunctionalInterface
public interface LinkReceiver {

    /**
     * Called when a datagram arrives.
     *
     * @param datagram the datagram, <b>taken</b>
     */
    void receive(ByteBuf datagram);
}
