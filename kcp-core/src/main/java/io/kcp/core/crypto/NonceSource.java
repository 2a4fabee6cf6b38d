package io.kcp.core.crypto;

/** Gives each datagram a nonce. */
interface NonceSource {

    /** The longest nonce that can be asked for at once. */
    int MAX_BYTES = 16;

    /** Writes the next nonce to the first {@code length} bytes of the target, {@value #MAX_BYTES} at most. */
    void next(byte[] target, int length);
}
