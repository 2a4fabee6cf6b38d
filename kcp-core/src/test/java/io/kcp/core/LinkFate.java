package io.kcp.core;

/** What a simulated link decided to do with a datagram when it was sent. */
public enum LinkFate {
    /** It will arrive, once. */
    DELIVERED,
    /** It will arrive twice. */
    DUPLICATED,
    /** It will arrive with one bit flipped. */
    CORRUPTED,
    /** The loss model took it. */
    LOST,
    /** There was no room in the queue. */
    QUEUE_FULL,
    /** It was larger than the link's MTU. */
    TOO_LARGE;

    /**
     * Tells whether at least one whole copy arrives.
     *
     * @return whether
     */
    public boolean arrives() {
        return this == DELIVERED || this == DUPLICATED;
    }
}
