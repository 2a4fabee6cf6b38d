package io.kcp.core;

/** Counts what one conversation holds, and reports it to the {@link HeldMemory}, which limits the sum. */
final class HeldBytes {

    private final HeldMemory memory;
    private long bytes;
    private long sendingBytes;
    private long readableBytes;

    HeldBytes(HeldMemory memory) {
        this.memory = memory;
    }

    /** To be called once, when the conversation is ready. */
    void begin() {
        memory.onConversationAdded();
    }

    /** Sets what is held now: to be sent or not acknowledged, received but not read, and received behind a hole. */
    void set(long sending, long readable, long outOfOrder) {
        long now = sending + readable + outOfOrder;
        memory.onHeld(now - bytes);
        bytes = now;
        sendingBytes = sending;
        readableBytes = readable;
    }

    /**
     * Returns whether a segment may be stored. One that fills a hole need not wait for what is stored behind it: that
     * becomes readable only by this segment.
     */
    boolean mayReceive(boolean inOrder) {
        return memory.mayHoldMore(inOrder ? sendingBytes + readableBytes : bytes);
    }

    /** Returns whether the unacknowledged part alone leaves room for more. */
    boolean maySend() {
        return memory.mayHoldMore(sendingBytes);
    }

    boolean isOverdrawn() {
        return memory.isOverdrawn(sendingBytes);
    }

    /** To be called once, at the end of the conversation. */
    void release() {
        set(0, 0, 0);
        memory.onConversationRemoved();
    }
}
