package io.kcp.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts and limits the memory that the conversations of one thread hold for unacknowledged and unread bytes. Not thread safe: one
 * per event loop.
 *
 * <p>While the sum is below {@link #setMaxHeldBytes the limit}, each conversation may hold as much as its windows allow. The share of a
 * conversation is half the limit divided by the number of conversations. While the sum is above the limit, a conversation that
 * holds more than its share announces a closed window and neither stores nor acknowledges new segments. The rest of a partly
 * received message is still stored, up to twice the limit, because the message is readable only when it is complete.
 *
 * <p>Above three times the limit the share is its minimum, 2 KiB. All conversations together hold at most three times the limit, and in
 * addition, for each conversation, 2 KiB and one received segment, 2 KiB and one sent message, provided that the owners write only while
 * {@link HeldBytes#mayWrite} returns {@code true}.
 */
public final class HeldMemory {

    /** Added to the payload of each segment for the objects that store it. */
    static final int SEGMENT_OVERHEAD_BYTES = 128;

    /** Every conversation may hold one datagram, so that all of them make progress. */
    private static final int MIN_SHARE_BYTES = 2_048;

    /** Above this multiple of the limit, the share of each conversation is its minimum. */
    private static final int MAX_EXCESS = 3;

    /** Conversations that hold less are below every share, so they are not listed. */
    private static final int LISTED_BYTES = MIN_SHARE_BYTES;

    private long maxHeldBytes = Long.MAX_VALUE;
    private long heldBytes;
    private int conversations;
    private int reservesInUse;
    private @Nullable HeldBytes firstListed;

    /** Creates a count of 0 bytes without a limit. */
    public HeldMemory() {
        // the fields have their initial values
    }

    /**
     * Limits the memory that all conversations together hold. There is no limit before the first call.
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
     * Returns the limit of the memory that all conversations together hold.
     *
     * @return bytes, {@code Long.MAX_VALUE} if none was set
     */
    public long maxHeldBytes() {
        return maxHeldBytes;
    }

    /**
     * Returns the memory that all conversations hold: unacknowledged and unread payload, and the objects that store it.
     *
     * @return bytes
     */
    public long heldBytes() {
        return heldBytes;
    }

    /**
     * Notes that one more reserve is in use, or one less. While a socket reads into a reserve, direct memory is scarce, and
     * received payload is copied to the heap instead of sharing the datagram's memory.
     *
     * @param inUse {@code true} if one more socket reads into a reserve, {@code false} if one socket fewer does
     */
    public void onReserve(boolean inUse) {
        reservesInUse += inUse ? 1 : -1;
    }

    boolean isScarce() {
        return reservesInUse > 0;
    }

    void onConversationAdded() {
        conversations++;
    }

    void onConversationRemoved() {
        conversations--;
    }

    /** Updates the count for a conversation, and lists the conversation while it holds many bytes. */
    void onHeld(HeldBytes holder, long beforeBytes, long nowBytes) {
        heldBytes += nowBytes - beforeBytes;
        if (nowBytes >= LISTED_BYTES != beforeBytes >= LISTED_BYTES) {
            if (nowBytes >= LISTED_BYTES) {
                list(holder);
            } else {
                unlist(holder);
            }
        }
    }

    private void list(HeldBytes holder) {
        holder.onListed();
        HeldBytes first = firstListed;
        holder.next = first;
        if (first != null) {
            first.previous = holder;
        }
        firstListed = holder;
    }

    private void unlist(HeldBytes holder) {
        HeldBytes before = holder.previous;
        HeldBytes after = holder.next;
        if (before == null) {
            firstListed = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        holder.previous = null;
        holder.next = null;
    }

    /**
     * Returns whether at least seven eighths of the limit are held. Paused conversations keep the sum around the limit, so a shortage
     * ends only below that.
     *
     * @return {@code true} while memory is short
     */
    public boolean isShort() {
        return isShort(heldBytes);
    }

    private boolean isShort(long bytes) {
        return bytes >= maxHeldBytes - (maxHeldBytes >> 3);
    }

    /**
     * Finds conversations that hold more than their share and make no progress, because hardly any of their bytes are acknowledged,
     * received in order or read. To be called at regular intervals while memory is short, because a call notes the progress since the
     * call before. Visits all conversations that hold 2 KiB or more.
     *
     * @param nowMs   the time of this call
     * @param graceMs the time that a conversation may spend without progress
     * @return the conversations to close so that the shortage ends, the largest first; empty if memory is not short
     */
    public List<HeldBytes> findStuck(long nowMs, int graceMs) {
        List<HeldBytes> stuck = new ArrayList<>();
        for (HeldBytes holder = firstListed; holder != null; holder = holder.next) {
            if (holder.msWithoutProgress(nowMs) >= graceMs && holder.isAboveShare()) {
                stuck.add(holder);
            }
        }
        stuck.sort(Comparator.comparingLong(HeldBytes::bytes).reversed());
        long leftBytes = heldBytes;
        int needed = 0;
        while (needed < stuck.size() && isShort(leftBytes)) {
            leftBytes -= stuck.get(needed++).bytes();
        }
        return stuck.subList(0, needed);
    }

    /** Returns {@code true} if the rest of a partly received message may be stored. */
    boolean mayComplete() {
        return heldBytes - maxHeldBytes < maxHeldBytes;
    }

    /** Returns {@code true} if a conversation that holds {@code ownBytes} may hold more. */
    boolean mayHoldMore(long ownBytes) {
        return heldBytes < maxHeldBytes || !isAboveShare(ownBytes);
    }

    /** Returns {@code true} if {@code ownBytes} are at least the share of a conversation. */
    boolean isAboveShare(long ownBytes) {
        return ownBytes >= shareBytes();
    }

    /** Returns {@code true} if a backlog is at least twice a share while all conversations together exceed the limit by half. */
    boolean isOverdrawn(long backlogBytes) {
        return heldBytes - maxHeldBytes >= maxHeldBytes >> 1 && backlogBytes >= 2 * shareBytes();
    }

    private long shareBytes() {
        if (heldBytes / MAX_EXCESS >= maxHeldBytes) {
            // Otherwise the sum would have no bound, because earlier conversations keep what their larger shares allowed.
            return MIN_SHARE_BYTES;
        }
        return Math.max(MIN_SHARE_BYTES, maxHeldBytes / (2L * Math.max(1, conversations)));
    }
}
