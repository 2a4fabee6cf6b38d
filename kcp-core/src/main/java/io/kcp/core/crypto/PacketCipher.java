package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * Seals and opens datagrams, each by itself and in place. An instance has buffers and nonces of its own and belongs to
 * one thread; {@link CryptoConfig#newCipher} makes as many as there are threads. It accepts every kind of {@code ByteBuf}
 * that can be written to; one contiguous buffer, on the heap or off it, costs least.
 *
 * <p>Nothing is allocated per datagram, save where {@code javax.crypto} does the work of an AEAD: it makes about a kilobyte
 * of garbage for each nonce that it is told.
 */
public interface PacketCipher {

    /**
     * Returns how many bytes a sealed datagram has before the payload.
     *
     * @return bytes, from 0
     */
    int headBytes();

    /**
     * Returns how many bytes a sealed datagram has after the payload.
     *
     * @return bytes, from 0
     */
    int tailBytes();

    /**
     * Seals a payload in place, with a nonce of its own.
     *
     * @param datagram the buffer, borrowed; its readable bytes are the payload, with at least {@link #headBytes()} bytes
     *                 before the reader index and {@link #tailBytes()} writable bytes after them, or room to grow by as
     *                 many; afterwards the readable bytes are the whole datagram
     * @throws IllegalArgumentException if there is not that much room, or the datagram would be longer than 65,535 bytes;
     *                                  nothing was changed then
     */
    void seal(ByteBuf datagram);

    /**
     * Opens a datagram in place, if it passes the check. Never throws because of what the datagram holds.
     *
     * @param datagram the buffer, borrowed; its readable bytes are the whole datagram, and afterwards the payload
     * @return true if it was opened; false if it is too short or too long or failed the check, and then bytes and indices
     *         are as they were, so that another cipher can try
     */
    boolean open(ByteBuf datagram);

    /**
     * Returns {@code true} if the latest {@link #open} refused a datagram because a cipher of this side had sealed it: somebody
     * on the path has sent it back. See {@link CryptoConfig#withReflectionGuard}.
     *
     * @return {@code false} if the latest datagram was opened or refused for another reason, and before any; a cipher that does
     *         not recognise its own datagrams always returns {@code false}
     */
    default boolean refusedReflection() {
        return false;
    }
}
