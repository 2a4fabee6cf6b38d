package io.kcp.core;

/**
 * Determines whether one side of a conversation sends messages or a stream of bytes. Each side chooses its own mode, because every receiver
 * can process both modes.
 */
public enum KcpTransferMode {
    /** Every write is delivered as one message. A large message is sent as up to 255 fragments. */
    MESSAGE,
    /**
     * Writes form a stream of bytes: small writes share segments, boundaries between writes are not preserved, and the size of a write is
     * unlimited.
     */
    STREAM
}
