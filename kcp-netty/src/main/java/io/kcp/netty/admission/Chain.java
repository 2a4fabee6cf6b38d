package io.kcp.netty.admission;

import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list, from which any entry can be removed in constant time. An entry has one {@link Link} for each list that may contain
 * it.
 *
 * @param <E> the type of the entries
 */
final class Chain<E> {

    /** The place of one entry in a list. */
    static final class Link<E> {
        private final E entry;
        private @Nullable Chain<E> chain;
        private @Nullable Link<E> previous;
        private @Nullable Link<E> next;

        /** Creates a link that is in no list. */
        Link(E entry) {
            this.entry = entry;
        }

        /** Returns {@code true} if the entry is in the given list. */
        boolean isIn(Chain<E> list) {
            return chain == list;
        }
    }

    private @Nullable Link<E> first;
    private @Nullable Link<E> last;

    /** Returns the entry that was added first, or null if the list is empty. */
    @Nullable E first() {
        Link<E> link = first;
        return link == null ? null : link.entry;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Adds an entry that is in no list at the end. */
    void add(Link<E> link) {
        Link<E> before = last;
        link.chain = this;
        link.previous = before;
        if (before == null) {
            first = link;
        } else {
            before.next = link;
        }
        last = link;
    }

    /** Removes an entry of this list. */
    void remove(Link<E> link) {
        Link<E> before = link.previous;
        Link<E> after = link.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        link.chain = null;
        link.previous = null;
        link.next = null;
    }
}
