package io.kcp.netty.internal.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash table with open addressing. The hash of an entry is keyed with a secret. The table uses linear probing and is at most half full.
 * A removal closes the gap that it leaves. The hashes are stored in an array beside the entries, so that a search reads only the entry that
 * it finds: the entries of a large table are in none of the small caches of the processor.
 *
 * @param <E> the type of the entries
 */
public abstract class SeededTable<E> {

    private static final int MIN_CAPACITY = 8;

    private @Nullable Object[] slots = newSlots(MIN_CAPACITY);
    private int[] hashes = new int[MIN_CAPACITY];
    private int size;

    /** Returns the hash of an entry. The hash of an entry must never change. */
    protected abstract int hashOf(E entry);

    /** Allocates the array. */
    protected @Nullable Object[] newSlots(int capacity) {
        return new Object[capacity];
    }

    /** Returns the number of entries. */
    public int size() {
        return size;
    }

    /** Returns the entry at a position, or null if there is none. A search starts at the hash and ends at the first null. */
    @SuppressWarnings("unchecked")
    public @Nullable E at(int position) {
        return (E) slots[position & slots.length - 1];
    }

    /** Returns the hash of the entry at a position. The result is undefined if there is none. */
    public int hashAt(int position) {
        return hashes[position & hashes.length - 1];
    }

    /** Adds an entry that is not in the table yet. */
    public void add(E entry) {
        if (size + 1 << 1 > slots.length) {
            resize(slots.length << 1);
        }
        insert(entry, hashOf(entry));
        size++;
    }

    /**
     * Removes the given entry, which is compared by identity.
     *
     * @return {@code true} if the entry was in the table
     */
    public boolean remove(E entry) {
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
                // Keeps the larger array until a later removal can shrink the table.
            }
        }
        return true;
    }

    /** Calls an action for each current entry of the table. The action may change the table. */
    public void forEach(Consumer<E> action) {
        entries().forEach(action);
    }

    /** Returns a new list of the current entries. */
    @SuppressWarnings("unchecked")
    public List<E> entries() {
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
            // Moves the entry into the hole, unless its home slot lies between the hole (exclusive) and its current slot (inclusive),
            // counted cyclically. A lookup starts at the home slot and would then not find the entry in the hole.
            int home = hashes[position] & mask;
            if ((position - home & mask) >= (position - hole & mask)) {
                slots[hole] = entry;
                hashes[hole] = hashes[position];
                hole = position;
            }
        }
    }

    private void resize(int capacity) {
        @Nullable Object[] oldSlots = slots;
        int[] oldHashes = hashes;
        @Nullable Object[] newSlots = newSlots(capacity);
        hashes = new int[capacity];
        slots = newSlots;
        for (int i = 0; i < oldSlots.length; i++) {
            Object entry = oldSlots[i];
            if (entry != null) {
                insert(entry, oldHashes[i]);
            }
        }
    }

    private void insert(Object entry, int hash) {
        int mask = slots.length - 1;
        int position = hash & mask;
        while (slots[position] != null) {
            position = position + 1 & mask;
        }
        slots[position] = entry;
        hashes[position] = hash;
    }
}
