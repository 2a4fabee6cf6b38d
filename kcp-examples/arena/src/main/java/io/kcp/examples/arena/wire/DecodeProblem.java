package io.kcp.examples.arena.wire;

/** What can be wrong with the bytes of a message. */
public enum DecodeProblem {
    /** There are none. */
    EMPTY,
    /** The first one names no kind of message. */
    UNKNOWN_KIND,
    /** They end before the message does. */
    TRUNCATED,
    /** They go on after the message. */
    TRAILING_BYTES,
    /** A text is no UTF-8, or a name no ASCII. */
    BAD_TEXT,
    /** A value is not one that its field may have. */
    BAD_VALUE,
    /** A message that this side does not take: one of its own. */
    WRONG_DIRECTION
}
