package io.kcp.netty;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap of sessions ordered by deadline, with the earliest first. Each session stores its own index in the heap. */
final class DeadlineHeap {

    private static final int MIN_CAPACITY = 16;

    private @Nullable DefaultKcpChannel[] heap = new DefaultKcpChannel[MIN_CAPACITY];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    @Nullable DefaultKcpChannel first() {
        return heap[0];
    }

    void set(DefaultKcpChannel session, long deadlineMs) {
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

    void remove(DefaultKcpChannel session) {
        int index = session.heapIndex;
        if (index < 0) {
            return;
        }
        session.heapIndex = -1;
        DefaultKcpChannel last = heap[--size];
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
                // Keep the larger array; the next removal tries again.
            }
        }
    }

    private void up(int from, DefaultKcpChannel session) {
        int index = from;
        while (index > 0) {
            int parent = index - 1 >> 1;
            DefaultKcpChannel above = heap[parent];
            if (above == null || above.deadlineMs <= session.deadlineMs) {
                break;
            }
            place(index, above);
            index = parent;
        }
        place(index, session);
    }

    private void down(int from, DefaultKcpChannel session) {
        int index = from;
        while ((index << 1) + 1 < size) {
            int child = (index << 1) + 1;
            DefaultKcpChannel below = heap[child];
            DefaultKcpChannel right = child + 1 < size ? heap[child + 1] : null;
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

    private void place(int index, DefaultKcpChannel session) {
        heap[index] = session;
        session.heapIndex = index;
    }
}
