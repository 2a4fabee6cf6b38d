package io.kcp.netty.internal.base;

import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list, from which any entry can be removed in constant time. An entry has one {@link Link} for each list that may contain
 * it.
 *
 * @param <E> the type of the entries
 */
public final class Chain<E> {

    /** The place of one entry in a list. */
    public static final class Link<E> {
        private final E entry;
        private @Nullable Chain<E> chain;
        private @Nullable Link<E> previous;
        private @Nullable Link<E> next;

        /** Creates a link that is in no list. */
        public Link(E entry) {
            this.entry = entry;
        }

        /** Returns {@code true} if the entry is in the given list. */
        public boolean isIn(Chain<E> list) {
            return chain == list;
        }
    }

    private @Nullable Link<E> first;
    private @Nullable Link<E> last;

    /** Creates an empty list. */
    public Chain() {
    }

    /** Returns the entry that was added first, or null if the list is empty. */
    public @Nullable E first() {
        Link<E> link = first;
        return link == null ? null : link.entry;
    }

    /** Returns {@code true} if the list contains no entries. */
    public boolean isEmpty() {
        return first == null;
    }

    /** Returns the entry that was added after the given entry of this list, or null if there is none. */
    public @Nullable E next(Link<E> link) {
        Link<E> after = link.next;
        return after == null ? null : after.entry;
    }

    /** Adds an entry that is in no list at the end. */
    public void add(Link<E> link) {
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
    public void remove(Link<E> link) {
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
