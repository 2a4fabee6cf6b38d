package io.kcp.netty;

import java.net.InetSocketAddress;

/** Decides whether a peer may open a session, before anything is allocated for it. Called on the event loop; must not block. */
@FunctionalInterface
public interface AcceptFilter {

    /** Admits everybody. */
    AcceptFilter ALL = (peer, conv) -> true;

    /**
     * Decides.
     *
     * @param peer where the opening datagram came from; not validated, it may be forged
     * @param conv the conversation id that it names
     * @return whether to accept; a refused datagram is counted and dropped without an answer
     */
    boolean accept(InetSocketAddress peer, int conv);
}
