package io.kcp.netty.internal.session;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap of sessions ordered by deadline, with the earliest first. Each session stores its own index in the heap. */
public final class DeadlineHeap {

    private static final int MIN_CAPACITY = 16;

    private @Nullable AbstractSession[] heap = new AbstractSession[MIN_CAPACITY];
    private int size;

    /** Returns {@code true} if no session has a deadline. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the number of sessions with a deadline. */
    public int size() {
        return size;
    }

    /** Returns {@code true} if a session has a deadline. */
    public boolean contains(AbstractSession session) {
        return session.heapIndex >= 0;
    }

    /** Returns the session with the earliest deadline, or null if there is none. */
    public @Nullable AbstractSession first() {
        return heap[0];
    }

    /** Sets the deadline of a session, and adds the session to the heap if necessary. */
    public void set(AbstractSession session, long deadlineMs) {
        int index = session.heapIndex;
        if (index < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size << 1);
            }
            session.deadlineMs = deadlineMs;
            up(size++, session);
        } else if (deadlineMs < session.deadlineMs) {
            session.deadlineMs = deadlineMs;
            up(index, session);
        } else if (deadlineMs > session.deadlineMs) {
            session.deadlineMs = deadlineMs;
            down(index, session);
        }
    }

    /** Removes a session from the heap, if it is present. */
    public void remove(AbstractSession session) {
        int index = session.heapIndex;
        if (index < 0) {
            return;
        }
        session.heapIndex = -1;
        AbstractSession last = heap[--size];
        heap[size] = null;
        if (last != null && last != session) {
            if (last.deadlineMs < session.deadlineMs) {
                up(index, last);
            } else {
                down(index, last);
            }
        }
        if (heap.length > MIN_CAPACITY && size < heap.length >> 2) {
            try {
                heap = Arrays.copyOf(heap, heap.length >> 1);
            } catch (OutOfMemoryError shortage) {
                // Keeps the larger array until a later removal can shrink the heap.
            }
        }
    }

    private void up(int from, AbstractSession session) {
        int index = from;
        while (index > 0) {
            int parent = index - 1 >> 1;
            AbstractSession above = heap[parent];
            if (above == null || above.deadlineMs <= session.deadlineMs) {
                break;
            }
            place(index, above);
            index = parent;
        }
        place(index, session);
    }

    private void down(int from, AbstractSession session) {
        int index = from;
        while ((index << 1) + 1 < size) {
            int child = (index << 1) + 1;
            AbstractSession below = heap[child];
            AbstractSession right = child + 1 < size ? heap[child + 1] : null;
            if (right != null && below != null && right.deadlineMs < below.deadlineMs) {
                below = right;
                child++;
            }
            if (below == null || below.deadlineMs >= session.deadlineMs) {
                break;
            }
            place(index, below);
            index = child;
        }
        place(index, session);
    }

    private void place(int index, AbstractSession session) {
        heap[index] = session;
        session.heapIndex = index;
    }
}
