package io.kcp.core;

import org.jspecify.annotations.Nullable;

/** Counts the memory that one conversation holds, and reports it to the {@link HeldMemory} of its thread, which limits the sum. */
public final class HeldBytes {

    /** The part of the held bytes that has to move before it counts as progress, as a power of two: a sixteenth. */
    private static final int PROGRESS_SHIFT = 4;

    private final HeldMemory memory;
    private final KcpOutput owner;
    // Links of the list of HeldMemory.
    @Nullable HeldBytes previous;
    @Nullable HeldBytes next;
    private long bytes;
    private long unacknowledgedBytes;
    private long readableBytes;
    private long outOfOrderBytes;
    private long backlogBytes;
    private boolean acknowledgedSinceReceived;
    private boolean newlyListed;
    private long progressBytes;
    private long progressedAtMs;
    private boolean counted;

    HeldBytes(HeldMemory memory, KcpOutput owner) {
        this.memory = memory;
        this.owner = owner;
    }

    /**
     * Returns the owner of the conversation.
     *
     * @return the output that the conversation was created with
     */
    public KcpOutput owner() {
        return owner;
    }

    /**
     * Returns the memory that the conversation holds.
     *
     * @return bytes
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns whether the conversation is paused because memory is scarce: it exceeds its share while all conversations together
     * exceed their limit. When this ends, the owner should deliver what was received and call {@link Kcp#announceWindow}.
     *
     * @return {@code true} while the conversation may not hold more
     */
    public boolean isConstrained() {
        return !memory.mayHoldMore(Math.max(sentBytes(), receivedBytes()));
    }

    boolean isAboveShare() {
        return memory.isAboveShare(Math.max(sentBytes(), receivedBytes()));
    }

    private long sentBytes() {
        return unacknowledgedBytes + backlogBytes;
    }

    private long receivedBytes() {
        return readableBytes + outOfOrderBytes;
    }

    void onListed() {
        newlyListed = true;
    }

    /**
     * Returns the milliseconds since the last progress, as accurate as the interval between two calls. Progress is that a sixteenth of
     * the held bytes was acknowledged, read, or received in order. So a peer that sends or acknowledges one small segment at a time
     * cannot keep a full window, and the slow upload of a large message goes on.
     */
    long msWithoutProgress(long nowMs) {
        if (newlyListed || progressBytes > bytes >> PROGRESS_SHIFT) {
            newlyListed = false;
            progressBytes = 0;
            progressedAtMs = nowMs;
        }
        return nowMs - progressedAtMs;
    }

    /** Starts to count. To be called once, at the end of the constructor of the conversation. */
    void begin() {
        counted = true;
        memory.onConversationAdded();
    }

    /** Sets the bytes that are unacknowledged, received but unread, and received behind a missing segment. */
    void set(long unacknowledged, long readable, long outOfOrder) {
        long acknowledgedBytes = Math.max(0, unacknowledgedBytes - unacknowledged);
        acknowledgedSinceReceived |= acknowledgedBytes > 0;
        // Bytes become readable when they are received in order, and stop being so when they are read.
        progressBytes += acknowledgedBytes + Math.abs(readable - readableBytes);
        unacknowledgedBytes = unacknowledged;
        readableBytes = readable;
        outOfOrderBytes = outOfOrder;
        report();
    }

    /**
     * Sets the bytes that the owner holds for the conversation, for example its queue of writes. They count like bytes that
     * {@link Kcp#send} has accepted.
     *
     * @param bytes bytes that were not yet passed to {@link Kcp#send}
     */
    public void setBacklogBytes(long bytes) {
        backlogBytes = bytes;
        report();
    }

    /**
     * Returns whether the application may write. It should not while memory is scarce and its unacknowledged bytes exceed the share of
     * the conversation. The owner should make the channel unwritable then.
     *
     * @return {@code true} if the conversation may hold more unacknowledged bytes
     */
    public boolean mayWrite() {
        return memory.mayHoldMore(sentBytes());
    }

    /**
     * Returns whether messages may be delivered that the application may answer. They should not while the unacknowledged bytes of the
     * conversation exceed its share of the memory and the peer has acknowledged nothing since the last message was delivered, because
     * answers would need even more memory. A conversation whose peer acknowledges, such as a download, continues to receive.
     *
     * @return {@code true} if the conversation has memory for answers
     */
    public boolean hasRoomForAnswers() {
        return acknowledgedSinceReceived || mayWrite();
    }

    /** Notes that a message was delivered, which the application may answer. */
    void onReceived() {
        acknowledgedSinceReceived = false;
    }

    /**
     * Returns whether the owner's backlog exceeds twice the share of the conversation while all conversations together exceed
     * their limit by half. Bytes that {@link Kcp#send} accepted do not count, because the send window limits it. The owner should close
     * the conversation if its application writes although it is not writable.
     *
     * @return {@code true} if the backlog is far above the share
     */
    public boolean isOverdrawn() {
        return memory.isOverdrawn(backlogBytes);
    }

    /**
     * Returns whether a segment may be stored. Only received bytes count, so that a conversation that sends a lot can still receive.
     * For the next segment in order, segments behind a missing one do not count, because only it makes them readable.
     */
    boolean mayReceive(boolean inOrder) {
        return memory.mayHoldMore(inOrder ? readableBytes : receivedBytes());
    }

    /** Returns {@code true} if the next segment of a partly received message may be stored. */
    boolean mayComplete() {
        return memory.mayComplete();
    }

    private void report() {
        if (counted) {
            long now = sentBytes() + receivedBytes();
            long before = bytes;
            bytes = now;
            memory.onHeld(this, before, now);
        }
    }

    /** Stops to count. To be called once, when the conversation is released. */
    void release() {
        backlogBytes = 0;
        set(0, 0, 0);
        counted = false;
        memory.onConversationRemoved();
    }
}
