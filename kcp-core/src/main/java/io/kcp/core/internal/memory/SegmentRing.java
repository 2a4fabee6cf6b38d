package io.kcp.core.internal.memory;

import org.jspecify.annotations.Nullable;

/**
 * Stores a window of consecutively numbered segments in a ring buffer, so that a lookup is a single array access. The array length is a
 * power of two. It grows with the window, and is halved after 16 consecutive windows that used at most a quarter of it.
 */
public final class SegmentRing {

    private static final int INITIAL_CAPACITY = 4;
    /** Length below which an array does not shrink, so that alternately small and large windows allocate nothing. */
    private static final int MIN_SHRUNK_CAPACITY = 16;
    /** Number of consecutive windows with few segments after which the array shrinks, so that varying bursts allocate nothing. */
    private static final int SMALL_WINDOWS_UNTIL_SHRUNK = 16;
    /** Maximum length of the array that an idle conversation keeps. */
    private static final int KEPT_CAPACITY = 32;
    /** Memory of one array element if the JVM does not compress references, which is the case if the heap exceeds 32 GB. */
    private static final int REFERENCE_BYTES = 8;
    /** Maximum memory of the array per segment if no segment is missing, because the length of the array is a power of two. */
    public static final int BYTES_PER_SEGMENT = 2 * REFERENCE_BYTES;
    private static final Segment[] NONE = new Segment[0];

    private @Nullable Segment[] slots = NONE;
    private int widest;
    private int smallWindows;

    /** Returns the segment with this number, or null if there is none. */
    public @Nullable Segment get(int sn) {
        int capacity = slots.length;
        if (capacity == 0) {
            return null;
        }
        Segment segment = slots[sn & capacity - 1];
        return segment != null && segment.sn == sn ? segment : null;
    }

    /**
     * Stores a segment at the array index derived from its segment number.
     *
     * @param windowStart the lowest number in the window
     */
    public void put(Segment segment, int windowStart) {
        int width = segment.sn - windowStart + 1;
        if (width > widest) {
            widest = width;
            if (width > slots.length) {
                grow(width);
            }
        }
        slots[segment.sn & slots.length - 1] = segment;
    }

    public void clear(int sn) {
        slots[sn & slots.length - 1] = null;
    }

    boolean isLarge() {
        return slots.length > KEPT_CAPACITY;
    }

    /** Returns the memory in bytes of an enlarged array, or 0 if the array is so small that an idle conversation keeps it. */
    public int arrayBytes() {
        return arrayBytes(slots.length);
    }

    /**
     * Returns how much {@link #arrayBytes} will grow if a segment is stored.
     *
     * @param windowStart the lowest number in the window
     */
    public int growthBytes(int sn, int windowStart) {
        int width = sn - windowStart + 1;
        return width <= slots.length ? 0 : arrayBytes(capacityFor(width)) - arrayBytes();
    }

    private static int arrayBytes(int capacity) {
        return capacity > KEPT_CAPACITY ? capacity * REFERENCE_BYTES : 0;
    }

    /** Frees the backing array if a burst has enlarged it. To be called while no segment is stored. */
    public void trim() {
        if (isLarge()) {
            slots = NONE;
            widest = 0;
        }
    }

    /**
     * Halves the backing array if at most a quarter of it was needed in each of the last {@value #SMALL_WINDOWS_UNTIL_SHRUNK} calls. To be
     * called while no segment is stored.
     */
    public void onEmpty() {
        if (slots.length > MIN_SHRUNK_CAPACITY) {
            smallWindows = widest <= slots.length >> 2 ? smallWindows + 1 : 0;
            if (smallWindows == SMALL_WINDOWS_UNTIL_SHRUNK) {
                smallWindows = 0;
                slots = new Segment[slots.length >> 1];
            }
        }
        widest = 0;
    }

    /** Recycles all segments and frees the backing array. */
    public void drainTo(SegmentPool pool) {
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

    private static int capacityFor(int width) {
        return Math.max(INITIAL_CAPACITY, Integer.highestOneBit(width - 1) << 1);
    }

    private void grow(int width) {
        int capacity = capacityFor(width);
        @Nullable Segment[] larger = new Segment[capacity];
        for (Segment segment : slots) {
            if (segment != null) {
                larger[segment.sn & capacity - 1] = segment;
            }
        }
        slots = larger;
    }
}
