package io.kcp.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts and limits the memory that the conversations of one thread hold for unacknowledged and unread bytes. Not thread-safe; each event
 * loop has its own instance.
 *
 * <p>While the total is below {@link #setMaxHeldBytes the limit}, each conversation may hold as much as its windows allow. The share of a
 * conversation is half the limit divided by the number of conversations. While the total is above the limit, a conversation that holds more
 * than its share announces a closed window and neither stores nor acknowledges new segments. The rest of a partly received message is still
 * stored, up to twice the limit, because the message is readable only when it is complete.
 *
 * <p>Above three times the limit, the share is 2 KiB, its minimum. All conversations together hold at most three times the limit plus, for
 * each conversation, 4 KiB, one received segment and one sent message. This bound requires that the owners write only while
 * {@link HeldBytes#mayWrite} returns {@code true}.
 */
public final class HeldMemory {

    /** Memory in bytes of the objects that store one segment, counted in addition to the payload of the segment. */
    static final int SEGMENT_OVERHEAD_BYTES = 128;

    /** Minimum share of the memory limit per conversation. It is enough for one datagram, so that every conversation can make progress. */
    private static final int MIN_SHARE_BYTES = 2_048;

    /** Multiple of the memory limit above which the share of every conversation drops to {@link #MIN_SHARE_BYTES}. */
    private static final int MAX_EXCESS = 3;

    /**
     * Minimum number of bytes that a conversation must hold for {@link #findStuck} to check it. Smaller conversations never exceed their
     * share.
     */
    private static final int LISTED_BYTES = MIN_SHARE_BYTES;

    private long maxHeldBytes = Long.MAX_VALUE;
    private long heldBytes;
    private int conversations;
    private int reservesInUse;
    private @Nullable HeldBytes firstListed;

    /** Creates a counter that starts at 0 bytes and has no limit. */
    public HeldMemory() {
    }

    /**
     * Sets the limit on the memory that all conversations together hold. By default there is no limit.
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
     * Returns the limit on the memory that all conversations together hold.
     *
     * @return bytes, or {@code Long.MAX_VALUE} if no limit was set
     */
    public long maxHeldBytes() {
        return maxHeldBytes;
    }

    /**
     * Returns the memory that all conversations hold: unacknowledged and unread payload, and the objects that store the payload.
     *
     * @return bytes
     */
    public long heldBytes() {
        return heldBytes;
    }

    /**
     * Called when a socket starts or stops reading into its reserve buffer, which is used when no direct memory is available. While a
     * socket does so, received payload is copied to the heap instead of sharing the datagram's memory.
     *
     * @param inUse {@code true} if a socket starts using its reserve buffer, {@code false} if it stops
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

    /** Updates the total and the list of large conversations after the bytes held by a conversation have changed. */
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
     * Returns {@code true} if the conversations hold at least seven eighths of the limit. A shortage ends only below this threshold,
     * because paused conversations keep the total close to the limit.
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
     * Finds conversations that hold more than their share and make no progress, which means that hardly any of their bytes are
     * acknowledged, received in order or read. To be called at regular intervals while memory is short, because each call records the
     * progress since the previous one. Visits all conversations that hold 2 KiB or more.
     *
     * @param nowMs   the time of this call
     * @param graceMs the time that a conversation may spend without progress
     * @return the conversations to close to end the shortage, largest first; empty if memory is not short
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

    /** Returns {@code true} if the remaining segments of a partly received message may be stored. */
    boolean mayComplete() {
        return heldBytes - maxHeldBytes < maxHeldBytes;
    }

    /** Returns {@code true} if a conversation that holds {@code ownBytes} may hold more. */
    boolean mayHoldMore(long ownBytes) {
        return heldBytes < maxHeldBytes || !isAboveShare(ownBytes);
    }

    /** Returns {@code true} if {@code ownBytes} reaches the share of one conversation. */
    boolean isAboveShare(long ownBytes) {
        return ownBytes >= shareBytes();
    }

    /**
     * Returns {@code true} if a backlog is at least twice the share of a conversation while all conversations together exceed the limit by
     * at least 50 %.
     */
    boolean isOverdrawn(long backlogBytes) {
        return heldBytes - maxHeldBytes >= maxHeldBytes >> 1 && backlogBytes >= 2 * shareBytes();
    }

    private long shareBytes() {
        if (heldBytes / MAX_EXCESS >= maxHeldBytes) {
            // Far above the limit, the share is constant. If it only shrank as conversations are added, earlier conversations could keep
            // what their larger shares had allowed, and the total would have no bound.
            return MIN_SHARE_BYTES;
        }
        return Math.max(MIN_SHARE_BYTES, maxHeldBytes / (2L * Math.max(1, conversations)));
    }
}
