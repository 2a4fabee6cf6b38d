package io.kcp.core.internal.memory;

import org.jspecify.annotations.Nullable;

/** A linked list of conversations, in the order in which they were added. A conversation is in at most one list. */
final class SessionMemoryList {

    private @Nullable SessionMemory first;
    private @Nullable SessionMemory last;

    @Nullable SessionMemory first() {
        return first;
    }

    void add(SessionMemory holder) {
        SessionMemory before = last;
        holder.previous = before;
        if (before == null) {
            first = holder;
        } else {
            before.next = holder;
        }
        last = holder;
    }

    void remove(SessionMemory holder) {
        SessionMemory before = holder.previous;
        SessionMemory after = holder.next;
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
