package io.kcp.core.internal.memory;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import org.jspecify.annotations.Nullable;

/**
 * Counts the memory that one conversation holds and reports it to {@link MemoryLimit}, which limits the total of all conversations of a
 * thread.
 */
public final class SessionMemory {

    /** Right shift that divides the number of held bytes by 16, which yields the progress threshold. */
    private static final int PROGRESS_SHIFT = 4;

    private final MemoryLimit memory;
    private final KcpOutput owner;
    // The previous and next elements of the linked list of conversations that MemoryLimit maintains.
    @Nullable SessionMemory previous;
    @Nullable SessionMemory next;
    private long bytes;
    private long unacknowledgedBytes;
    private long readableBytes;
    private long outOfOrderBytes;
    /** Memory of the array of the receive window. */
    private int receiveArrayBytes;
    /** Memory of the arrays of the send window and of the queued acknowledgements. */
    private int otherArrayBytes;
    private long backlogBytes;
    /** Memory budget of windows that grow, or {@code Long.MAX_VALUE} if the windows are constant. */
    private long budgetBytes = Long.MAX_VALUE;
    /** Part of the budget that the receive window may use. */
    private long reservedBytes;
    private boolean acknowledgedSinceReceived;
    private boolean newlyLarge;
    private long progressBytes;
    private long progressedAtMs;
    private boolean counted;
    private boolean unvalidated;

    public SessionMemory(MemoryLimit memory, KcpOutput owner) {
        this.memory = memory;
        this.owner = owner;
    }

    /**
     * Returns the owner of the conversation, which is the output that sends the conversation's datagrams.
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
     * Returns {@code true} if the conversation is paused because memory is scarce, that is, because the conversation exceeds its share
     * while all conversations together exceed their limit. When the pause ends, the owner should deliver received messages and call
     * {@code Kcp.announceWindow}.
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

    /**
     * Returns the memory of received data. A single segment that arrives far ahead of the others enlarges the array of the receive window,
     * so the array belongs to the segments received out of order. In order, the array is small compared with its segments.
     */
    private long receivedBytes() {
        return readableBytes + (outOfOrderBytes == 0 ? 0 : outOfOrderBytes + receiveArrayBytes);
    }

    /** Called when the conversation begins to hold so much memory that {@link MemoryLimit#findStuck} checks it. */
    void onLarge() {
        newlyLarge = true;
    }

    /**
     * Returns the milliseconds since the conversation last made progress. The result is as precise as the interval between two calls. A
     * conversation makes progress when one sixteenth of the held bytes has been acknowledged, read, or received in order. A peer that sends
     * or acknowledges one small segment at a time therefore cannot keep a full window, but a slow upload of a large message can continue.
     */
    long msWithoutProgress(long nowMs) {
        if (newlyLarge || progressBytes > bytes >> PROGRESS_SHIFT) {
            newlyLarge = false;
            progressBytes = 0;
            progressedAtMs = nowMs;
        }
        return nowMs - progressedAtMs;
    }

    /**
     * Sets whether the peer of the conversation may be a forged address. The memory of all such conversations is limited separately. By
     * default, a conversation does not count as unvalidated.
     *
     * @param unvalidated {@code true} until the peer is validated
     */
    public void setUnvalidated(boolean unvalidated) {
        if (counted && unvalidated != this.unvalidated) {
            memory.onUnvalidated(this, unvalidated);
        }
    }

    void markUnvalidated(boolean now) {
        unvalidated = now;
    }

    boolean isUnvalidated() {
        return unvalidated;
    }

    /** Starts counting. To be called once, at the end of the conversation's constructor. */
    public void begin() {
        counted = true;
        memory.onConversationAdded();
    }

    /** Returns {@code true} while memory is short, so that empty arrays should be freed. */
    public boolean isShort() {
        return memory.isShort();
    }

    /**
     * Sets the memory of arrays that a burst has enlarged.
     *
     * @param receiveBytes the memory of the array of the receive window
     * @param otherBytes   the memory of the arrays of the send window and of the queued acknowledgements
     */
    public void setArrays(int receiveBytes, int otherBytes) {
        receiveArrayBytes = receiveBytes;
        otherArrayBytes = otherBytes;
    }

    /** Sets the numbers of readable and out-of-order bytes, and the memory of the array of the receive window. */
    public void setReceived(long readable, long outOfOrder, int arrayBytes) {
        receiveArrayBytes = arrayBytes;
        set(unacknowledgedBytes, readable, outOfOrder);
    }

    /** Sets the numbers of unacknowledged, readable, and out-of-order bytes. */
    public void set(long unacknowledged, long readable, long outOfOrder) {
        long acknowledgedBytes = Math.max(0, unacknowledgedBytes - unacknowledged);
        acknowledgedSinceReceived |= acknowledgedBytes > 0;
        // The session makes progress both when the number of readable bytes increases (bytes were received in order) and when it decreases
        // (the application has read bytes).
        progressBytes += acknowledgedBytes + Math.abs(readable - readableBytes);
        unacknowledgedBytes = unacknowledged;
        readableBytes = readable;
        outOfOrderBytes = outOfOrder;
        report();
    }

    /**
     * Sets the number of bytes that the owner stores for the conversation, for example in a queue of pending writes. They count like bytes
     * accepted by {@code Kcp.send}.
     *
     * @param bytes number of bytes not yet passed to {@code Kcp.send}
     */
    public void setBacklogBytes(long bytes) {
        backlogBytes = bytes;
        report();
    }

    /**
     * Returns {@code true} if the application may write. If memory is scarce and the unacknowledged bytes of the conversation exceed its
     * share, the owner should make the channel unwritable.
     *
     * @return {@code true} if the conversation may hold more unacknowledged bytes
     */
    public boolean mayWrite() {
        return memory.mayHoldMore(sentBytes());
    }

    /**
     * Returns {@code true} if there is memory for the application's responses to further messages. Messages should not be delivered while
     * the unacknowledged bytes of the conversation exceed its share of the memory and the peer has acknowledged nothing since the last
     * delivery, because responses would need even more memory. A conversation whose peer acknowledges data, such as a download, continues
     * to receive.
     *
     * @return {@code true} if messages may be delivered
     */
    public boolean hasRoomForAnswers() {
        return acknowledgedSinceReceived || mayWrite();
    }

    /** Called after a message has been delivered to the application, which may respond to the message. */
    public void onReceived() {
        acknowledgedSinceReceived = false;
    }

    /**
     * Returns {@code true} if the bytes set with {@link #setBacklogBytes} are at least twice the share of the conversation while all
     * conversations together exceed their limit by at least 50 %. Bytes accepted by {@code Kcp.send} do not count, because the send window
     * limits them. The owner should close the conversation if its application writes although it is not writable.
     *
     * @return {@code true} if the backlog is far above the share
     */
    public boolean isOverdrawn() {
        return memory.isOverdrawn(backlogBytes);
    }

    /**
     * Returns {@code true} if the next segment in order may be stored. Only received bytes count, so that a conversation that sends a lot
     * can still receive. Segments received out of order do not count, because they become readable only with the next segment.
     */
    public boolean mayReceiveNext() {
        return memory.mayHoldMore(readableBytes) && (!isBudgeted() || roomForReceiving(readableBytes, receiveArrayBytes) > 0);
    }

    /**
     * Returns {@code true} if a segment may be stored out of order.
     *
     * @param arrayBytes the memory by which the segment enlarges the array of the receive window
     */
    public boolean mayReceiveOutOfOrder(int arrayBytes) {
        return memory.mayEnlarge(arrayBytes, receivedBytes()) && (!isBudgeted() || roomForReceiving() > arrayBytes);
    }

    /**
     * Returns how many more received bytes a window that grows may store, or 0 if there is no room. A conversation may hold the minimum
     * share in any case.
     */
    public long roomForReceiving() {
        // receivedBytes() already contains the array if segments were received out of order.
        return Math.max(0, roomForReceiving(receivedBytes(), outOfOrderBytes == 0 ? receiveArrayBytes : 0));
    }

    /**
     * Returns the room that {@code ownBytes} leave, which may be negative. All arrays count against the budget, because it includes the
     * objects that store the payload.
     *
     * @param uncountedArrayBytes the memory of the array of the receive window, or 0 if {@code ownBytes} contains it
     */
    private long roomForReceiving(long ownBytes, int uncountedArrayBytes) {
        long budgetLeftBytes = budgetBytes - uncountedArrayBytes - otherArrayBytes - ownBytes;
        return Math.max(MemoryLimit.MIN_SHARE_BYTES - ownBytes, Math.min(budgetLeftBytes, memory.roomForReceiving(ownBytes)));
    }

    private boolean isBudgeted() {
        return budgetBytes != Long.MAX_VALUE;
    }

    /** Sets the {@link KcpConfig#windowBudgetBytes() budget}, which is 0 if the windows are constant. */
    public void setBudget(int windowBudgetBytes) {
        budgetBytes = windowBudgetBytes == 0 ? Long.MAX_VALUE : windowBudgetBytes;
    }

    /** Reserves a part of the budget for the receive window. Sent data may use the rest. */
    public void reserve(long receiveWindowBytes) {
        reservedBytes = receiveWindowBytes;
    }

    /** Returns the part of the budget that sent data does not use. */
    public long budgetForReceiving() {
        return budgetBytes - unacknowledgedBytes;
    }

    /** Returns {@code true} if a send window that grows may use its size at the start. */
    public boolean maySendAtStart() {
        return memory.isBelowLimit() || memory.leavesRoom(unacknowledgedBytes);
    }

    /**
     * Returns the bytes that a send window that grows may hold in addition to the unacknowledged bytes, which may be negative. All arrays
     * count against the budget, as for the receive window.
     */
    public long roomForSending() {
        long room = budgetBytes - reservedBytes - receiveArrayBytes - otherArrayBytes - unacknowledgedBytes;
        return room <= 0 || memory.leavesRoom(unacknowledgedBytes) ? room : 0;
    }

    /** Returns {@code true} if the remaining segments of a partly received message may be stored. */
    public boolean mayComplete() {
        return memory.mayComplete();
    }

    private void report() {
        if (counted) {
            long now = sentBytes() + readableBytes + outOfOrderBytes + receiveArrayBytes + otherArrayBytes;
            long before = bytes;
            bytes = now;
            memory.onHeld(this, before, now);
        }
    }

    /** Stops counting. To be called once, when the conversation is released. */
    public void release() {
        backlogBytes = 0;
        receiveArrayBytes = 0;
        otherArrayBytes = 0;
        set(0, 0, 0);
        counted = false;
        memory.onConversationRemoved();
    }
}
