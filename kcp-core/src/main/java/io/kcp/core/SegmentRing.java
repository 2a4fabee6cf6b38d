package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * Segments by {@code sn} in one array access: a window of consecutive numbers over a power-of-two array that grows with
 * what the window holds, and shrinks when it ran empty after holding little.
 */
final class SegmentRing {

    private static final int MIN_CAPACITY = 16;
    /** Arrays of at most this capacity are kept while a conversation is idle. */
    private static final int KEPT_CAPACITY = 32;
    private static final Segment[] NONE = new Segment[0];

    private @Nullable Segment[] slots = NONE;
    private int widest;

    /** Returns the segment with that number, null if there is none. */
    @Nullable Segment get(int sn) {
        int capacity = slots.length;
        if (capacity == 0) {
            return null;
        }
        Segment segment = slots[sn & capacity - 1];
        return segment != null && segment.sn == sn ? segment : null;
    }

    /**
     * Stores a segment under its number.
     *
     * @param windowStart the lowest number that is or may be stored
     */
    void put(Segment segment, int windowStart) {
        int width = segment.sn - windowStart + 1;
        if (width > widest) {
            widest = width;
            if (width > slots.length) {
                grow(width);
            }
        }
        slots[segment.sn & slots.length - 1] = segment;
    }

    void clear(int sn) {
        slots[sn & slots.length - 1] = null;
    }

    boolean isLarge() {
        return slots.length > KEPT_CAPACITY;
    }

    /** Gives the array back if a burst made it large. To be called when nothing is stored. */
    void trim() {
        if (isLarge()) {
            slots = NONE;
            widest = 0;
        }
    }

    /** To be called when nothing is stored: lets go of an array that was much larger than needed lately. */
    void onEmpty() {
        if (slots.length > MIN_CAPACITY && widest <= slots.length >> 2) {
            slots = new Segment[slots.length >> 1];
        }
        widest = 0;
    }

    /** Recycles everything and lets go of the array. */
    void drainTo(SegmentPool pool) {
        for (Segment segment : slots) {
            if (segment != null) {
                segment.list = null;
                segment.previous = null;
                pool.release(segment);
            }
        }
        slots = NONE;
        widest = 0;
    }

    private void grow(int width) {
        int capacity = Math.max(MIN_CAPACITY, Integer.highestOneBit(width - 1) << 1);
        @Nullable Segment[] larger = new Segment[capacity];
        for (Segment segment : slots) {
            if (segment != null) {
                larger[segment.sn & capacity - 1] = segment;
            }
        }
        slots = larger;
    }
}
