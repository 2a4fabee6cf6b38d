package io.kcp.core;

/**
 * Whether a side sends messages or a stream. Each side chooses its own mode, because receivers process both.
 */
public enum KcpMode {
    /** Every write is delivered as one message. A large message is sent as up to 255 fragments. */
    MESSAGE,
    /** A stream of bytes: small writes share segments, boundaries are lost, and the size of a write is not limited. */
    STREAM
}
