package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * Seals and opens each datagram in place, independently of all other datagrams. An instance has buffers and nonces of its own and must be
 * used by one thread only. {@link CryptoConfig#newCipher} creates an instance for each thread. Any writable {@code ByteBuf} is accepted;
 * contiguous buffers, on the heap or direct, are the fastest.
 *
 * <p>Sealing and opening allocate no memory, with one exception: AEAD ciphers of {@code javax.crypto} allocate about a kilobyte for each
 * datagram. They seal and open AES-GCM payloads of more than 128 bytes, ChaCha20-Poly1305 on Java 21 and later, and all datagrams if
 * {@link CryptoConfig#withProvider} is used.
 */
public interface DatagramCipher {

    /**
     * Returns the number of bytes before the payload in a sealed datagram.
     *
     * @return bytes, 0 or more
     */
    int headBytes();

    /**
     * Returns the number of bytes after the payload in a sealed datagram.
     *
     * @return bytes, 0 or more
     */
    int tailBytes();

    /**
     * Seals a payload in place: adds a new nonce and a checksum or tag, and encrypts the result.
     *
     * @param datagram the buffer, <b>borrowed</b>. Its readable bytes are the payload on entry and the sealed datagram on return.
     *                 The buffer needs {@link #headBytes()} bytes before the reader index, and {@link #tailBytes()} bytes after
     *                 the writer index, which are either writable or within its maximum capacity
     * @throws IllegalArgumentException if the buffer has too little room, or the datagram would exceed 65,535 bytes; in both cases the
     * buffer is unchanged
     */
    void seal(ByteBuf datagram);

    /**
     * Opens a datagram in place: decrypts it and restores the payload if the checksum or tag is valid. The content of a datagram never
     * causes an exception.
     *
     * @param datagram the buffer, <b>borrowed</b>. Its readable bytes are the sealed datagram on entry and, if it opened, the
     *                 payload on return
     * @return {@code true} if the datagram opened; {@code false} if it is too short, too long or invalid. If the datagram does not open,
     *         its content and indices are unchanged, so that another cipher can be tried
     */
    boolean open(ByteBuf datagram);

    /**
     * Returns {@code true} if the latest call of {@link #open} rejected a reflection, which is a datagram that this side sealed and an
     * attacker on the path sent back. See {@link CryptoConfig#withReflectionGuard}.
     *
     * @return {@code false} if the latest datagram opened or was rejected for another reason, and before the first call of
     *         {@link #open}. Ciphers that do not recognize their own datagrams always return {@code false}
     */
    default boolean refusedReflection() {
        return false;
    }
}
