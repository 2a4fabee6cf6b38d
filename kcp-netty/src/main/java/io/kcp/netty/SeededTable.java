package io.kcp.netty;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An open-addressing table whose entries know their own (secretly keyed) hash: no entry objects, no boxing, one array.
 * Linear probing, at most half full, removal closes the gap.
 *
 * @param <E> type of the entries
 */
abstract class SeededTable<E> {

    private static final int MIN_CAPACITY = 8;

    private @Nullable Object[] slots = newSlots(MIN_CAPACITY);
    private int size;

    abstract int hashOf(E entry);

    @Nullable Object[] newSlots(int capacity) {
        return new Object[capacity];
    }

    int size() {
        return size;
    }

    /** Returns the entry in a slot; a search starts at {@code hash} and goes on while it is not null. */
    @SuppressWarnings("unchecked")
    @Nullable E at(int position) {
        return (E) slots[position & slots.length - 1];
    }

    void add(E entry) {
        if (size + 1 << 1 > slots.length) {
            resize(slots.length << 1);
        }
        insert(entry);
        size++;
    }

    /** Removes an entry by identity. */
    boolean remove(E entry) {
        int mask = slots.length - 1;
        int position = hashOf(entry) & mask;
        while (slots[position] != entry) {
            if (slots[position] == null) {
                return false;
            }
            position = position + 1 & mask;
        }
        closeGap(position, mask);
        size--;
        if (slots.length > MIN_CAPACITY && size << 3 < slots.length) {
            try {
                resize(slots.length >> 1);
            } catch (OutOfMemoryError shortage) {
                // The larger array serves as well; the next removal tries again.
            }
        }
        return true;
    }

    /** Visits all entries; the table may be changed meanwhile, additions are then not seen. */
    void forEach(Consumer<E> action) {
        entries().forEach(action);
    }

    /** Returns the entries of this moment. */
    @SuppressWarnings("unchecked")
    List<E> entries() {
        List<E> entries = new ArrayList<>(size);
        for (Object slot : slots) {
            if (slot != null) {
                entries.add((E) slot);
            }
        }
        return entries;
    }

    private void closeGap(int gap, int mask) {
        int hole = gap;
        int position = gap;
        while (true) {
            position = position + 1 & mask;
            E entry = at(position);
            if (entry == null) {
                slots[hole] = null;
                return;
            }
            // Move it back unless its own place lies cyclically behind the hole.
            int home = hashOf(entry) & mask;
            if ((position - home & mask) >= (position - hole & mask)) {
                slots[hole] = entry;
                hole = position;
            }
        }
    }

    @SuppressWarnings("unchecked")
    private void resize(int capacity) {
        @Nullable Object[] old = slots;
        slots = newSlots(capacity);
        for (Object entry : old) {
            if (entry != null) {
                insert((E) entry);
            }
        }
    }

    private void insert(E entry) {
        int mask = slots.length - 1;
        int position = hashOf(entry) & mask;
        while (slots[position] != null) {
            position = position + 1 & mask;
        }
        slots[position] = entry;
    }
}
