package io.kcp.core;

import org.jspecify.annotations.Nullable;

/** A linked list of conversations, in the order in which they were added. A conversation is in at most one list. */
final class HeldBytesList {

    private @Nullable HeldBytes first;
    private @Nullable HeldBytes last;

    @Nullable HeldBytes first() {
        return first;
    }

    void add(HeldBytes holder) {
        HeldBytes before = last;
        holder.previous = before;
        if (before == null) {
            first = holder;
        } else {
            before.next = holder;
        }
        last = holder;
    }

    void remove(HeldBytes holder) {
        HeldBytes before = holder.previous;
        HeldBytes after = holder.next;
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
        holder.previous = null;
        holder.next = null;
    }
}
