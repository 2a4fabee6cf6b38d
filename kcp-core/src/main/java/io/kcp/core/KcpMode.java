package io.kcp.core;

/**
 * What a conversation carries. Each side decides for what it sends; receivers handle both.
 */
public enum KcpMode {
    /** Every write arrives as one message with its boundaries kept; long ones travel as up to 255 fragments. */
    MESSAGE,
    /** A stream of bytes: small writes share segments, boundaries are not kept, nothing limits the size of a write. */
    STREAM
}
