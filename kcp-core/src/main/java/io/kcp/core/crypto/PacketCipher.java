package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * Seals and opens datagrams in place, each independently of the others. An instance has buffers and nonces of its own and must
 * be used by one thread only; {@link CryptoConfig#newCipher} creates one for each thread. Any writable {@code ByteBuf} works; a
 * contiguous buffer, on the heap or direct, is the fastest.
 *
 * <p>Sealing and opening allocate nothing, except for AEAD ciphers from {@code javax.crypto}, which allocate about a kilobyte for
 * each datagram when they are initialised with its nonce.
 */
public interface PacketCipher {

    /**
     * Returns the number of bytes that a sealed datagram has before the payload.
     *
     * @return bytes, 0 or more
     */
    int headBytes();

    /**
     * Returns the number of bytes that a sealed datagram has after the payload.
     *
     * @return bytes, 0 or more
     */
    int tailBytes();

    /**
     * Seals a payload in place with a new nonce.
     *
     * @param datagram the buffer, <b>borrowed</b>. Its readable bytes are the payload on entry and the sealed datagram on return.
     *                 The buffer needs {@link #headBytes()} bytes before the reader index, and {@link #tailBytes()} bytes after
     *                 the writer index, which are either writable or within its maximum capacity
     * @throws IllegalArgumentException if the buffer has too little room, or the datagram would exceed 65,535 bytes; the buffer
     *                                  is unchanged then
     */
    void seal(ByteBuf datagram);

    /**
     * Opens a datagram in place if it passes the check. Never throws because of the datagram's content.
     *
     * @param datagram the buffer, <b>borrowed</b>. Its readable bytes are the sealed datagram on entry and, if it opened, the
     *                 payload on return
     * @return {@code true} if the datagram opened; {@code false} if it is too short or too long or failed the check. The content
     *         and the indices are unchanged then, so that another cipher can try
     */
    boolean open(ByteBuf datagram);

    /**
     * Returns {@code true} if the latest call of {@link #open} rejected a reflection: a datagram that a cipher of this side had
     * sealed and that an attacker on the path sent back. See {@link CryptoConfig#withReflectionGuard}.
     *
     * @return {@code false} if the latest datagram opened or was rejected for another reason, and before the first call of
     *         {@link #open}. Ciphers that do not recognise their own datagrams always return {@code false}
     */
    default boolean refusedReflection() {
        return false;
    }
}
