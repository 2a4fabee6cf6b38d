package io.kcp.testkit;

/** The outcome of a datagram on a simulated link. The link decides the outcome when the datagram is sent. */
public enum LinkFate {
    /** The datagram will arrive once. */
    DELIVERED,
    /** The datagram will arrive twice. */
    DUPLICATED,
    /** The datagram will arrive with one inverted bit. */
    CORRUPTED,
    /** The loss model dropped the datagram. */
    LOST,
    /** The link dropped the datagram because the queue of the link was full. */
    QUEUE_FULL,
    /** The link dropped the datagram because the datagram exceeds the MTU. */
    TOO_LARGE;

    /**
     * Returns {@code true} if at least one unmodified copy of the datagram arrives.
     *
     * @return {@code true} for {@link #DELIVERED} and {@link #DUPLICATED}
     */
    public boolean arrives() {
        return this == DELIVERED || this == DUPLICATED;
    }
}
