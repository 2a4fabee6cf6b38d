package io.kcp.netty;

import java.net.InetSocketAddress;

/**
 * Decides whether a peer may open a session. The filter is called on the event loop, before any memory is allocated for the session, and
 * must not block.
 */
@FunctionalInterface
public interface AcceptFilter {

    /** Accepts every peer. */
    AcceptFilter ALL = (peer, conv) -> true;

    /**
     * Returns {@code true} if a peer may open a session.
     *
     * @param peer the source address of the first datagram; not validated, so it may be forged
     * @param conv the conversation id in that datagram
     * @return {@code true} to accept; otherwise the datagram is counted and dropped without a response
     */
    boolean accept(InetSocketAddress peer, int conv);
}
