package io.kcp.core;

import org.jspecify.annotations.Nullable;

/** Counts what one conversation holds, and reports it to the {@link HeldMemory} of its thread, which limits the sum. */
public final class HeldBytes {

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
    private boolean progressed;
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
     * Returns what the conversation holds.
     *
     * @return bytes
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns whether the conversation is held up because memory is scarce: it exceeds its share while all conversations together
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
        progressed = true;
    }

    /**
     * Returns how long the conversation has made no progress, to the interval between two calls. Progress is that the peer
     * acknowledges or the application reads some of what the conversation holds most of: acknowledgements of a few small messages
     * are no reason to keep a large one that is never completed.
     */
    long msWithoutProgress(long nowMs) {
        if (progressed) {
            progressed = false;
            progressedAtMs = nowMs;
        }
        return nowMs - progressedAtMs;
    }

    /** To be called once, when the conversation is ready. */
    void begin() {
        counted = true;
        memory.onConversationAdded();
    }

    /** Sets what is held now: not acknowledged, received but not read, and received behind a hole. */
    void set(long unacknowledged, long readable, long outOfOrder) {
        boolean acknowledged = unacknowledged < unacknowledgedBytes;
        boolean read = readable + outOfOrder < receivedBytes();
        acknowledgedSinceReceived |= acknowledged;
        progressed |= sentBytes() >= receivedBytes() ? acknowledged : read;
        unacknowledgedBytes = unacknowledged;
        readableBytes = readable;
        outOfOrderBytes = outOfOrder;
        report();
    }

    /**
     * Sets what the owner holds for the conversation beside it, its queue of writes for instance. It counts like bytes that
     * were given to {@link Kcp#send}.
     *
     * @param bytes bytes that are not yet given to {@link Kcp#send}
     */
    public void setBacklogBytes(long bytes) {
        backlogBytes = bytes;
        report();
    }

    /**
     * Returns whether the application may write: {@code false} while what it wrote and the peer has not acknowledged exceeds the share
     * of the conversation of scarce memory. The owner should tell its application so.
     *
     * @return {@code true} if there is room for more
     */
    public boolean mayWrite() {
        return memory.mayHoldMore(sentBytes());
    }

    /**
     * Returns whether the application may be given more to answer. {@code false} while the unacknowledged bytes of the
     * conversation exceed its share of the memory that all conversations may hold and the peer has acknowledged nothing since the
     * last message was received: reading on would make it write more. A conversation whose peer acknowledges, such as a download,
     * goes on receiving.
     *
     * @return {@code true} if what waits to be acknowledged leaves room for more
     */
    public boolean hasRoomForAnswers() {
        return acknowledgedSinceReceived || mayWrite();
    }

    /** Notes that the application was given a message, which it may answer. */
    void onReceived() {
        acknowledgedSinceReceived = false;
    }

    /**
     * Returns whether the owner's backlog exceeds twice the share of the conversation while all conversations together exceed
     * their limit by half. What {@link Kcp#send} accepted does not count, because the send window limits it. The owner should close
     * the conversation if its application writes although it is not writable.
     *
     * @return {@code true} if the backlog is far above the share
     */
    public boolean isOverdrawn() {
        return memory.isOverdrawn(backlogBytes);
    }

    /**
     * Returns whether a segment may be stored. Only received bytes count, so that a conversation that sends much still
     * receives. A segment that fills a hole need not wait for what is stored behind it: that becomes readable only by it.
     */
    boolean mayReceive(boolean inOrder) {
        return memory.mayHoldMore(inOrder ? readableBytes : receivedBytes());
    }

    /** Returns whether the next segment of a message that is received in part may be stored. */
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

    /** To be called once, at the end of the conversation. */
    void release() {
        backlogBytes = 0;
        set(0, 0, 0);
        counted = false;
        memory.onConversationRemoved();
    }
}
