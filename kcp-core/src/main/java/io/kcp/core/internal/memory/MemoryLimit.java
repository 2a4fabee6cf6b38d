package io.kcp.core.internal.memory;

import io.kcp.core.internal.base.ProtocolConstants;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts and limits the memory that the conversations of one thread hold for unacknowledged and unread bytes, including enlarged arrays
 * that store them. Not thread-safe; each event loop has its own instance.
 *
 * <p>While the total is below {@link #setMaxHeldBytes the limit}, each conversation may hold as much as its windows allow. The share of a
 * conversation is half the limit divided by the number of conversations. While the total is above the limit, a conversation that holds more
 * than its share announces a closed window and neither stores nor acknowledges new segments. The rest of a partly received message is still
 * stored, up to twice the limit, because the message is readable only when it is complete.
 *
 * <p>Above three times the limit, the share is 2 KiB, its minimum. All conversations together hold at most three times the limit plus, for
 * each conversation, 4 KiB, one received segment and one sent message. This bound requires that the owners write only while
 * {@link SessionMemory#mayWrite} returns {@code true}.
 *
 * <p>Conversations whose peer may be a forged address ({@link SessionMemory#setUnvalidated}) should together hold at most a quarter of the
 * limit, so that forged addresses leave the rest of the memory to other conversations. The owners enforce this limit:
 * {@link #isUnvalidatedShort} reports that they hold an eighth of the limit, and {@link #findUnvalidatedExcess} finds the conversations to
 * close.
 */
public final class MemoryLimit {

    /** Minimum share of the memory limit per conversation. It is enough for one datagram, so that every conversation can make progress. */
    static final int MIN_SHARE_BYTES = 2_048;

    /** Memory of the segments that a peer may send before it knows the receive window. */
    private static final int START_BYTES = ProtocolConstants.INITIAL_WINDOW_SEGMENTS * ProtocolConstants.MAX_SEGMENT_COST_BYTES;

    /** Multiple of the memory limit above which the share of every conversation drops to {@link #MIN_SHARE_BYTES}. */
    private static final int MAX_EXCESS = 3;

    /**
     * Minimum number of bytes that a conversation must hold for {@link #findStuck} to check it. Smaller conversations never exceed their
     * share.
     */
    private static final int LISTED_BYTES = MIN_SHARE_BYTES;

    /** Right shift that divides the memory limit by 4, which yields the limit on unvalidated conversations. */
    private static final int UNVALIDATED_SHIFT = 2;

    private long maxHeldBytes = Long.MAX_VALUE;
    private long heldBytes;
    private int conversations;
    private int reservesInUse;
    private long unvalidatedBytes;
    private final SessionMemoryList listed = new SessionMemoryList();
    /** Unvalidated conversations that hold {@link #LISTED_BYTES} or more. */
    private final SessionMemoryList unvalidatedListed = new SessionMemoryList();
    /** Unvalidated conversations that hold less than {@link #LISTED_BYTES}. Many of them together can also exceed the limit. */
    private final SessionMemoryList unvalidatedSmall = new SessionMemoryList();

    /** Creates a counter that starts at 0 bytes and has no limit. */
    public MemoryLimit() {
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

    public boolean isScarce() {
        return reservesInUse > 0;
    }

    void onConversationAdded() {
        conversations++;
    }

    void onConversationRemoved() {
        conversations--;
    }

    /** Updates the total and the list of large conversations after the bytes held by a conversation have changed. */
    void onHeld(SessionMemory holder, long beforeBytes, long nowBytes) {
        heldBytes += nowBytes - beforeBytes;
        if (holder.isUnvalidated()) {
            unvalidatedBytes += nowBytes - beforeBytes;
        }
        SessionMemoryList before = list(holder, beforeBytes);
        SessionMemoryList now = list(holder, nowBytes);
        if (before != now) {
            move(holder, before, now);
            if (nowBytes >= LISTED_BYTES) {
                holder.onLarge();
            }
        }
    }

    /** Returns the list that contains a conversation while it holds {@code bytes}, or null if no list contains it. */
    private @Nullable SessionMemoryList list(SessionMemory holder, long bytes) {
        if (holder.isUnvalidated()) {
            return bytes >= LISTED_BYTES ? unvalidatedListed : bytes > 0 ? unvalidatedSmall : null;
        }
        return bytes >= LISTED_BYTES ? listed : null;
    }

    private static void move(SessionMemory holder, @Nullable SessionMemoryList from, @Nullable SessionMemoryList to) {
        if (from != null) {
            from.remove(holder);
        }
        if (to != null) {
            to.add(holder);
        }
    }

    /** Counts a conversation as unvalidated, or no longer. */
    void onUnvalidated(SessionMemory holder, boolean unvalidated) {
        SessionMemoryList before = list(holder, holder.bytes());
        unvalidatedBytes += unvalidated ? holder.bytes() : -holder.bytes();
        holder.markUnvalidated(unvalidated);
        move(holder, before, list(holder, holder.bytes()));
    }

    /**
     * Returns the memory that the conversations with unvalidated peers hold.
     *
     * @return bytes
     */
    public long unvalidatedBytes() {
        return unvalidatedBytes;
    }

    /**
     * Returns {@code true} if the conversations with unvalidated peers hold at least an eighth of the memory limit.
     * The owner should then validate further peers before it opens sessions for them, because the application may write to each new
     * session.
     *
     * @return {@code true} if no further unvalidated conversation should use memory
     */
    public boolean isUnvalidatedShort() {
        return unvalidatedBytes >= unvalidatedLimit() >> 1;
    }

    /**
     * Returns {@code true} if the conversations with unvalidated peers hold more than a quarter of the memory limit.
     *
     * @return {@code true} if {@link #findUnvalidatedExcess} finds conversations
     */
    public boolean isUnvalidatedExceeded() {
        return unvalidatedBytes > unvalidatedLimit();
    }

    /**
     * Counts memory that the owner holds for peers that have no conversation yet. It counts like the memory of conversations with
     * unvalidated peers.
     *
     * @param changeBytes the change of that memory in bytes, negative if memory was released
     */
    public void addUnopened(int changeBytes) {
        heldBytes += changeBytes;
        unvalidatedBytes += changeBytes;
    }

    private long unvalidatedLimit() {
        return maxHeldBytes >> UNVALIDATED_SHIFT;
    }

    /**
     * Finds conversations with unvalidated peers to close, so that all remaining ones together hold at most a quarter of the memory limit.
     *
     * @return conversations that hold 2 KiB or more, beginning with the one that has done so for the longest time, followed by smaller
     *         ones if necessary
     */
    public List<SessionMemory> findUnvalidatedExcess() {
        List<SessionMemory> found = new ArrayList<>();
        long leftBytes = addExcess(unvalidatedListed, unvalidatedBytes, found);
        addExcess(unvalidatedSmall, leftBytes, found);
        return found;
    }

    private long addExcess(SessionMemoryList list, long bytes, List<SessionMemory> found) {
        long leftBytes = bytes;
        for (SessionMemory holder = list.first(); holder != null && leftBytes > unvalidatedLimit(); holder = holder.next) {
            found.add(holder);
            leftBytes -= holder.bytes();
        }
        return leftBytes;
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
    public List<SessionMemory> findStuck(long nowMs, int graceMs) {
        List<SessionMemory> stuck = new ArrayList<>();
        addStuck(listed, nowMs, graceMs, stuck);
        addStuck(unvalidatedListed, nowMs, graceMs, stuck);
        stuck.sort(Comparator.comparingLong(SessionMemory::bytes).reversed());
        long leftBytes = heldBytes;
        int needed = 0;
        while (needed < stuck.size() && isShort(leftBytes)) {
            leftBytes -= stuck.get(needed++).bytes();
        }
        return stuck.subList(0, needed);
    }

    private static void addStuck(SessionMemoryList list, long nowMs, int graceMs, List<SessionMemory> stuck) {
        for (SessionMemory holder = list.first(); holder != null; holder = holder.next) {
            if (holder.msWithoutProgress(nowMs) >= graceMs && holder.isAboveShare()) {
                stuck.add(holder);
            }
        }
    }

    /** Returns {@code true} if the remaining segments of a partly received message may be stored. */
    boolean mayComplete() {
        return heldBytes - maxHeldBytes < maxHeldBytes;
    }

    /** Returns {@code true} if a conversation that holds {@code ownBytes} may hold more. */
    boolean mayHoldMore(long ownBytes) {
        return isBelowLimit() || !isAboveShare(ownBytes);
    }

    /**
     * Returns {@code true} if a conversation whose windows grow may hold more sent data. Windows that grow use at most half the limit, and
     * beyond it only the share of the conversation. At the limit, the share is {@link #MIN_SHARE_BYTES}, so that any number of such
     * conversations hardly exceeds the limit.
     */
    boolean leavesRoom(long ownBytes) {
        return ownBytes < MIN_SHARE_BYTES || isBelowLimit() && (ownBytes < maxHeldBytes - 2 * heldBytes || !isAboveShare(ownBytes));
    }

    /**
     * Returns how many bytes a receive window that grows may add in a conversation that has received {@code ownBytes}. The rules are those
     * of {@link #leavesRoom}, but {@link #START_BYTES} are permitted below the limit. Each added byte reduces the result by one, so the
     * result can be announced to the peer.
     *
     * @return bytes, at most 0 if there is no room
     */
    long roomForReceiving(long ownBytes) {
        long least = MIN_SHARE_BYTES - ownBytes;
        if (!isBelowLimit()) {
            return least;
        }
        long untilHalf = (maxHeldBytes - 2 * heldBytes - ownBytes) / 3;
        long untilShare = Math.max(shareBytes(), START_BYTES) - ownBytes;
        return Math.max(least, Math.min(maxHeldBytes - heldBytes, Math.max(untilHalf, untilShare)));
    }

    /**
     * Returns {@code true} if a conversation that holds {@code ownBytes} may enlarge an array by {@code addedBytes}. Because one small
     * segment suffices to enlarge an array to the size of the window, arrays that exceed the share of the conversation use at most half the
     * limit.
     */
    boolean mayEnlarge(long addedBytes, long ownBytes) {
        long limitBytes = isAboveShare(addedBytes) ? maxHeldBytes >> 1 : maxHeldBytes;
        return heldBytes < limitBytes - addedBytes || !isAboveShare(ownBytes + addedBytes);
    }

    boolean isBelowLimit() {
        return heldBytes < maxHeldBytes;
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
