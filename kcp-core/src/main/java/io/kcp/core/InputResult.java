package io.kcp.core;

/** The result of {@link Kcp#input}. A datagram that is not {@link #ACCEPTED} does not change the conversation. */
public enum InputResult {
    /** Every segment was processed. Duplicates and segments outside the window may have had no effect. */
    ACCEPTED,
    /** The datagram is shorter than a header, or a {@code len} exceeds its end. */
    TRUNCATED,
    /** A segment belongs to another conversation. */
    FOREIGN_CONVERSATION,
    /** A {@code cmd} is not 81 to 84. */
    UNKNOWN_COMMAND,
    /** A segment acknowledges one that was never sent: its {@code una}, or the {@code sn} of an ACK, is too high. */
    FORGED_ACKNOWLEDGEMENT
}
