package io.kcp.core;

/**
 * The acknowledgements that wait for the next flush, as ({@code sn}, {@code ts}) pairs in order of arrival. Bounded by
 * the receive window: a hostile or clumsy peer cannot make it grow.
 */
final class AckQueue {

    private static final int[] NONE = new int[0];
    private static final int INITIAL_CAPACITY = 8;

    private int[] pairs = NONE;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int sn(int index) {
        return pairs[index << 1];
    }

    int ts(int index) {
        return pairs[(index << 1) + 1];
    }

    /**
     * Appends a pair. When the queue is full, entries that {@code una} covers make room; if all are still needed, the new
     * one is dropped and its segment will come again.
     */
    void add(int sn, int ts, int nextExpected, int maxEntries) {
        if (size >= maxEntries) {
            dropCovered(nextExpected);
            if (size >= maxEntries) {
                return;
            }
        }
        if (size << 1 == pairs.length) {
            int[] larger = new int[Math.max(INITIAL_CAPACITY << 1, pairs.length << 1)];
            System.arraycopy(pairs, 0, larger, 0, pairs.length);
            pairs = larger;
        }
        pairs[size << 1] = sn;
        pairs[(size << 1) + 1] = ts;
        size++;
    }

    /** Takes out the oldest entries; those that came while they were sent stay. */
    void removeFirst(int count) {
        int removed = Math.min(count, size);
        System.arraycopy(pairs, removed << 1, pairs, 0, size - removed << 1);
        size -= removed;
    }

    private void dropCovered(int nextExpected) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (!SerialNumber.isBefore(sn(i), nextExpected)) {
                pairs[kept << 1] = sn(i);
                pairs[(kept << 1) + 1] = ts(i);
                kept++;
            }
        }
        size = kept;
    }
}
