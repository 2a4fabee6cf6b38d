package io.kcp.core.crypto;

/** Gives each datagram a nonce, and recognises those that it gave. */
interface NonceSource {

    /** The longest nonce. */
    int MAX_BYTES = 16;

    /** Writes the next nonce to the first {@code length} bytes of the target: 12, or {@value #MAX_BYTES}. */
    void next(byte[] target, int length);

    /** Returns {@code true} if the bytes at the offset are a nonce that this source, or another of this side, gave. */
    default boolean isOwn(byte[] bytes, int offset, int length) {
        return false;
    }
}
