package io.kcp.core;

/**
 * Counts what the conversations of one thread hold, and limits it: the bytes that they were given to send and that are not
 * acknowledged, and those that they received and nobody has read. Not thread safe: one per event loop.
 *
 * <p>While the sum is below {@link #setMaxHeldBytes the limit}, each conversation may hold whatever its windows allow. Above
 * it, a conversation that holds more than its share, half the limit divided by the number of conversations, announces a
 * closed window and neither stores nor acknowledges new segments; the others go on.
 */
public final class HeldMemory {

    /** Counted for each held segment on top of its payload: the objects that hold it. */
    static final int SEGMENT_OVERHEAD_BYTES = 128;

    /** Every conversation may hold one datagram, so that all of them go on. */
    private static final int MIN_SHARE_BYTES = 2_048;

    private long maxHeldBytes = Long.MAX_VALUE;
    private long heldBytes;
    private int conversations;
    private boolean scarce;

    /** Creates a count of nothing, without a limit. */
    public HeldMemory() {
        // the fields say it
    }

    /**
     * Limits what all conversations hold together. There is no limit before the first call.
     *
     * @param maxHeldBytes the limit in bytes, at least 1
     */
    public void setMaxHeldBytes(long maxHeldBytes) {
        if (maxHeldBytes < 1) {
            throw new IllegalArgumentException("maxHeldBytes: " + maxHeldBytes + " (expected: at least 1)");
        }
        this.maxHeldBytes = maxHeldBytes;
    }

    /**
     * Returns the limit on what all conversations hold together.
     *
     * @return bytes, {@code Long.MAX_VALUE} if none was set
     */
    public long maxHeldBytes() {
        return maxHeldBytes;
    }

    /**
     * Returns what all conversations hold: unacknowledged and unread payload and the objects around it.
     *
     * @return bytes
     */
    public long heldBytes() {
        return heldBytes;
    }

    /**
     * Sets whether direct memory is scarce: datagrams are then read into a small reserve, and received payload is copied to
     * the heap instead of sharing the datagram's memory.
     *
     * @param scarce {@code true} while datagrams are read into a reserve
     */
    public void setScarce(boolean scarce) {
        this.scarce = scarce;
    }

    boolean isScarce() {
        return scarce;
    }

    void onConversationAdded() {
        conversations++;
    }

    void onConversationRemoved() {
        conversations--;
    }

    void onHeld(long deltaBytes) {
        heldBytes += deltaBytes;
    }

    /** Returns whether a conversation that holds {@code ownBytes} may hold more. */
    boolean mayHoldMore(long ownBytes) {
        return heldBytes < maxHeldBytes || ownBytes < shareBytes();
    }

    /** Returns whether a conversation holds far more than its share while all together exceed the limit by half. */
    boolean isOverdrawn(long ownBytes) {
        return heldBytes - maxHeldBytes >= maxHeldBytes >> 1 && ownBytes >= 2 * shareBytes();
    }

    private long shareBytes() {
        return Math.max(MIN_SHARE_BYTES, maxHeldBytes / (2L * Math.max(1, conversations)));
    }
}
