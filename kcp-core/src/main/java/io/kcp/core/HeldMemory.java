package io.kcp.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the conversations of one thread hold, and limits it: the bytes that they were given to send and that are not
 * acknowledged, and those that they received and nobody has read. Not thread safe: one per event loop.
 *
 * <p>While the sum is below {@link #setMaxHeldBytes the limit}, each conversation may hold whatever its windows allow. Above
 * it, a conversation that holds more than its share, half the limit divided by the number of conversations, announces a
 * closed window and neither stores nor acknowledges new segments; the others go on. The rest of a message that is received in
 * part is still stored up to twice the limit, because only the rest makes the message readable.
 *
 * <p>Above three times the limit the share is its minimum, 2 KiB. So all conversations hold at most three times the limit, and for
 * each conversation 2 KiB and one segment received, 2 KiB and one message sent, if the owners write only while
 * {@link HeldBytes#mayWrite}.
 */
public final class HeldMemory {

    /** Counted for each held segment on top of its payload: the objects that hold it. */
    static final int SEGMENT_OVERHEAD_BYTES = 128;

    /** Every conversation may hold one datagram, so that all of them go on. */
    private static final int MIN_SHARE_BYTES = 2_048;

    /** Above so many times the limit, nothing but the minimum share is left to each conversation. */
    private static final int MAX_EXCESS = 3;

    /** Conversations that hold less are below every share, so they are not listed. */
    private static final int LISTED_BYTES = MIN_SHARE_BYTES;

    private long maxHeldBytes = Long.MAX_VALUE;
    private long heldBytes;
    private int conversations;
    private int reservesInUse;
    private @Nullable HeldBytes firstListed;

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
     * Notes that one more reserve is in use, or one less. While datagrams are read into a reserve, direct memory is scarce, and
     * received payload is copied to the heap instead of sharing the datagram's memory.
     *
     * @param inUse {@code true} if datagrams of one more socket are read into a reserve; later {@code false}, once
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

    /** Notes that a conversation holds another number of bytes now, and lists it while these are many. */
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
     * Returns whether at least seven eighths of the limit are held. Conversations that wait for each other keep the sum around the
     * limit, so a shortage ends only below that.
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
     * Finds conversations that keep memory from the others: they hold more than their share and make no progress, so the peer
     * acknowledges nothing or the application reads nothing. To be called at regular intervals while memory is short, because a call
     * notes the progress since the call before. Visits all conversations that hold 2 KiB or more.
     *
     * @param nowMs   the time of this call
     * @param graceMs the time that a conversation may spend without progress
     * @return as many of them as have to be closed to end the shortage, the largest first; none if memory is not short
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

    /** Returns whether the rest of a message may be stored that its conversation has received in part. */
    boolean mayComplete() {
        return heldBytes - maxHeldBytes < maxHeldBytes;
    }

    /** Returns whether a conversation that holds {@code ownBytes} may hold more. */
    boolean mayHoldMore(long ownBytes) {
        return heldBytes < maxHeldBytes || !isAboveShare(ownBytes);
    }

    /** Returns whether a conversation that holds {@code ownBytes} holds its share or more. */
    boolean isAboveShare(long ownBytes) {
        return ownBytes >= shareBytes();
    }

    /** Returns whether a backlog is at least twice the share of its conversation while all together exceed the limit by half. */
    boolean isOverdrawn(long backlogBytes) {
        return heldBytes - maxHeldBytes >= maxHeldBytes >> 1 && backlogBytes >= 2 * shareBytes();
    }

    private long shareBytes() {
        if (heldBytes / MAX_EXCESS >= maxHeldBytes) {
            // Conversations that came when there were fewer keep their larger shares, which would add up without end.
            return MIN_SHARE_BYTES;
        }
        return Math.max(MIN_SHARE_BYTES, maxHeldBytes / (2L * Math.max(1, conversations)));
    }
}
