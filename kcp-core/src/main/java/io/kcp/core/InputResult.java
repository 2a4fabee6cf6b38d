package io.kcp.core;

/** What {@link Kcp#input} made of a datagram. Anything but {@link #ACCEPTED} changed nothing in the conversation. */
public enum InputResult {
    /** Every segment was processed (a duplicate or out-of-window one may have had no effect). */
    ACCEPTED,
    /** Shorter than a header, or a {@code len} runs beyond the end. */
    TRUNCATED,
    /** A segment of another conversation. */
    FOREIGN_CONVERSATION,
    /** A {@code cmd} outside 81 to 84. */
    UNKNOWN_COMMAND,
    /** Acknowledges what was never sent: {@code una} or the {@code sn} of an ACK lies beyond the newest segment. */
    FORGED_ACKNOWLEDGEMENT
}
