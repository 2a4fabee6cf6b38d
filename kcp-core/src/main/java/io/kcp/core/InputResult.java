package io.kcp.core;

/**
 * The result of processing a datagram with {@link io.kcp.core.conversation.Kcp#input Kcp.input}. A datagram that is not {@link #ACCEPTED}
 * does not change the conversation.
 */
public enum InputResult {
    /** All segments of the datagram were processed. Duplicates and segments outside the window may have had no effect. */
    ACCEPTED,
    /** The datagram is shorter than a segment header, or the {@code len} of a segment exceeds the remaining bytes. */
    TRUNCATED,
    /** A segment belongs to another conversation. */
    FOREIGN_CONVERSATION,
    /** A segment has a {@code cmd} outside the range 81 to 84. */
    UNKNOWN_COMMAND,
    /** A segment acknowledges data that was never sent: its {@code una}, or the {@code sn} of an ACK, is too high. */
    FORGED_ACKNOWLEDGEMENT
}
