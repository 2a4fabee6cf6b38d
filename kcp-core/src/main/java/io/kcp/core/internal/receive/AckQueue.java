package io.kcp.core.internal.receive;

import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.AckRepetition;
import org.jspecify.annotations.Nullable;

/**
 * A ring buffer of the acknowledgements that the next flush sends. They are stored as ({@code sn}, {@code ts}) pairs, in the order in which
 * the acknowledged segments arrived. The receive window limits the size of the queue.
 */
public final class AckQueue {

    private static final int[] NONE = new int[0];
    private static final int INITIAL_CAPACITY = 2;
    /** Maximum capacity, in acknowledgements, of the array that an idle conversation keeps. */
    private static final int KEPT_CAPACITY = 32;

    /** Ring buffer that stores acknowledgement n at the indexes 2n and 2n + 1. Its capacity is a power of two. */
    private int[] pairs = NONE;
    /** Position of the oldest acknowledgement in the ring buffer. It only increases and is masked to obtain an index. */
    private int first;
    private int size;
    private int addsSinceScan;
    private int removedTs;
    private @Nullable LateArrivals lateArrivals; // null unless FEC has recovered a segment
    private int dueAtMs;
    private final AckThinning thinning = new AckThinning();
    private final AckRepetition history = new AckRepetition();

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the {@code sn} of the oldest queued acknowledgement. The queue must not be empty. */
    public int firstSn() {
        return pairs[at(0)];
    }

    /** Returns the {@code ts} of the oldest queued acknowledgement. The queue must not be empty. */
    public int firstTs() {
        return pairs[at(0) + 1];
    }

    public void removeFirst() {
        first++;
        size--;
    }

    /**
     * Appends an acknowledgement. If the queue is full, entries that {@code una} covers are removed, but at most once in {@code maxEntries}
     * calls, so that the removal costs O(1) per call on average. If the queue is still full, the new acknowledgement is dropped, and the
     * peer retransmits its segment.
     */
    public void add(int sn, int ts, int nextExpected, int maxEntries) {
        addsSinceScan++;
        if (size >= maxEntries) {
            if (addsSinceScan >= size) {
                addsSinceScan = 0;
                dropCovered(nextExpected);
            }
            if (size >= maxEntries) {
                return;
            }
        }
        if (size << 1 == pairs.length) {
            grow();
        }
        put(size, sn, ts);
        size++;
    }

    /** Records that FEC has recovered a segment that had not arrived. */
    void onRecovered(int sn, int ts) {
        LateArrivals arrivals = lateArrivals;
        if (arrivals == null) {
            arrivals = new LateArrivals();
            lateArrivals = arrivals;
        }
        arrivals.onRecovered(sn, ts);
    }

    /** Records the arrival of a segment that was stored before. */
    void onDuplicate(int sn, int ts) {
        if (lateArrivals != null) {
            lateArrivals.onDuplicate(sn, ts);
        }
    }

    /** Returns {@code true} if a segment has arrived after FEC had recovered it, so that its sender needs the ACK. */
    public boolean isLate(int sn, int ts) {
        return lateArrivals != null && lateArrivals.isLate(sn, ts);
    }

    /** Returns the object that decides if the acknowledgements of a bulk transfer wait for each other. */
    public AckThinning thinning() {
        return thinning;
    }

    /** Returns the acknowledgements that were sent before and may be repeated. */
    public AckRepetition history() {
        return history;
    }

    /** Sets the time at which the queued acknowledgements must be sent. */
    public void delayUntil(int timeMs) {
        dueAtMs = timeMs;
    }

    /**
     * Returns the milliseconds until the queued acknowledgements must be sent, or {@code NO_DEADLINE} if there are none.
     *
     * @param maxDelayed the number of acknowledgements that are not delayed any longer, because they fill a datagram
     * @param delayMs    the time for which acknowledgements of a bulk transfer wait for each other if {@code noDelay} is set, or 0
     */
    public int msUntilDue(int timeMs, boolean noDelay, int maxDelayed, int delayMs) {
        if (size == 0) {
            return ProtocolConstants.NO_DEADLINE;
        }
        if (noDelay) {
            return delayMs == 0 ? 0 : thinning.msUntilDue(size, timeMs, delayMs);
        }
        return size >= maxDelayed ? 0 : dueAtMs - timeMs;
    }

    /** Removes all acknowledgements of one segment. Returns {@code true} if at least one was removed. */
    public boolean removeAll(int sn) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int index = at(i);
            if (pairs[index] == sn) {
                removedTs = pairs[index + 1];
            } else {
                put(kept, pairs[index], pairs[index + 1]);
                kept++;
            }
        }
        boolean removed = kept < size;
        size = kept;
        return removed;
    }

    /** Returns the {@code ts} of the newest acknowledgement that {@link #removeAll} has removed. */
    public int removedTs() {
        return removedTs;
    }

    /** Frees the memory that an idle conversation does not need, unless acknowledgements are queued. */
    public void trim() {
        if (size == 0) {
            lateArrivals = null;
            history.trim();
            if (isLarge()) {
                pairs = NONE;
            }
        }
    }

    /** Returns the memory in bytes that {@link #trim} frees if no acknowledgement is queued. */
    public int arrayBytes() {
        return (isLarge() ? pairs.length * Integer.BYTES : 0) + (lateArrivals == null ? 0 : LateArrivals.BYTES)
            + history.arrayBytes();
    }

    boolean isLarge() {
        return pairs.length > KEPT_CAPACITY << 1;
    }

    private void dropCovered(int nextExpected) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int index = at(i);
            if (!SerialNumber.isBefore(pairs[index], nextExpected)) {
                put(kept, pairs[index], pairs[index + 1]);
                kept++;
            }
        }
        size = kept;
    }

    private void put(int position, int sn, int ts) {
        int index = at(position);
        pairs[index] = sn;
        pairs[index + 1] = ts;
    }

    private int at(int position) {
        return first + position << 1 & pairs.length - 1;
    }

    private void grow() {
        int[] larger = new int[Math.max(INITIAL_CAPACITY << 1, pairs.length << 1)];
        for (int i = 0; i < size; i++) {
            larger[i << 1] = pairs[at(i)];
            larger[(i << 1) + 1] = pairs[at(i) + 1];
        }
        pairs = larger;
        first = 0;
    }
}
