package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/**
 * Decides whether a peer may open a session. The filter is called on the event loop, before any memory is allocated for the session, and
 * must not block.
 *
 * <p>The filter is called for every first datagram that the other limits of the server permit, including forged ones. It should therefore
 * take a few microseconds at most, as a lookup in a table or the verification of an HMAC does. If the filter refuses more than 64 sessions
 * within a second, the server is under load. A server under load calls the filter only for peers that have retransmitted their first
 * datagram and have proved their address, and spends at most 20 % of the time of an event loop on the filter and on opening sessions. See
 * {@link io.kcp.netty.bootstrap.AbstractKcpServerBuilder#addressProofUnderLoad addressProofUnderLoad}.
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

    /**
     * Returns {@code true} if a peer may open a session. The filter can examine the first message of the peer before the session exists.
     * For example, clients may begin with a signed message that contains the time and their address or a random number, and a filter that
     * verifies this message prevents a recorded first datagram from opening a session. The library calls only this method. The default
     * implementation calls {@link #accept(InetSocketAddress, int)}.
     *
     * @param peer         the source address of the first datagram; not validated, so it may be forged
     * @param conv         the conversation id in that datagram
     * @param firstPayload the decrypted payload of the first segment, which is the first message of the peer, or its first fragment if the
     *                     message has several. In stream mode, it is the beginning of the stream. <b>Borrowed</b>: valid only during
     *                     the call, must not be changed or released
     * @return {@code true} to accept; otherwise the datagram is counted and dropped without a response
     */
    default boolean accept(InetSocketAddress peer, int conv, ByteBuf firstPayload) {
        return accept(peer, conv);
    }
}
