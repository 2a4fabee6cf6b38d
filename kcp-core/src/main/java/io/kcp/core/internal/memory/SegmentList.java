package io.kcp.core.internal.memory;

import org.jspecify.annotations.Nullable;

/** A doubly linked list of segments. The links are fields of the segments, so that adding and removing allocate no memory. */
public final class SegmentList {

    private @Nullable Segment head;
    private @Nullable Segment tail;
    private int size;

    public @Nullable Segment first() {
        return head;
    }

    public @Nullable Segment last() {
        return tail;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return head == null;
    }

    public void addLast(Segment segment) {
        Segment last = tail;
        segment.list = this;
        segment.previous = last;
        segment.next = null;
        if (last == null) {
            head = segment;
        } else {
            last.next = segment;
        }
        tail = segment;
        size++;
    }

    public void remove(Segment segment) {
        Segment before = segment.previous;
        Segment after = segment.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.previous = before;
        }
        segment.list = null;
        segment.previous = null;
        segment.next = null;
        size--;
    }

    public @Nullable Segment pollFirst() {
        Segment segment = head;
        if (segment != null) {
            remove(segment);
        }
        return segment;
    }
}
