package io.kcp.testkit;

import io.netty.buffer.ByteBuf;

/** Observes all datagrams that are sent over a {@link SimulatedLink}. */
@FunctionalInterface
public interface LinkObserver {

    /**
     * Called when a datagram is sent.
     *
     * @param datagram the datagram, <b>borrowed</b>; must not be modified
     * @param fate     the outcome of the datagram on the link
     * @param nowUs    the virtual time in microseconds
     */
    void onSent(ByteBuf datagram, LinkFate fate, long nowUs);
}
