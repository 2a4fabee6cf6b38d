package io.kcp.netty.internal.base;

import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue that contains each element at most once. The queue is linked through a field of its elements, so that it needs no
 * allocation. Each kind of queue is a final class with its own field. An element can therefore be in one queue of each kind, and the JIT
 * compiler can inline the access to the field.
 *
 * @param <T> the type of the elements
 */
public abstract class LinkedQueue<T> {

    private @Nullable T first;
    private @Nullable T last;
    private int size;

    /** Creates an empty queue. */
    protected LinkedQueue() {
    }

    /** Returns the element that was added after the given element, or null if there is none. */
    public abstract @Nullable T next(T element);

    /** Sets the element that {@link #next} returns for the given element. */
    protected abstract void setNext(T element, @Nullable T next);

    /** Returns the element that was added first, or null if the queue is empty. */
    public final @Nullable T first() {
        return first;
    }

    /** Returns the element that was added last, or null if the queue is empty. */
    public final @Nullable T last() {
        return last;
    }

    /** Returns the number of elements in the queue. */
    public final int size() {
        return size;
    }

    /** Returns {@code true} if the queue contains no elements. */
    public final boolean isEmpty() {
        return first == null;
    }

    /** Returns {@code true} if the queue contains an element. */
    public final boolean contains(T element) {
        return element == last || next(element) != null;
    }

    /** Appends an element, unless it is already in the queue. */
    public final void add(T element) {
        T before = last;
        if (element == before || next(element) != null) {
            return;
        }
        if (before == null) {
            first = element;
        } else {
            setNext(before, element);
        }
        last = element;
        size++;
    }

    /** Removes and returns the element that was added first, or returns null if the queue is empty. */
    public final @Nullable T poll() {
        T element = first;
        if (element != null) {
            first = next(element);
            setNext(element, null);
            if (first == null) {
                last = null;
            }
            size--;
        }
        return element;
    }

    /** Removes an element if it is the first of the queue. */
    public final void pollIfFirst(T element) {
        if (first == element) {
            poll();
        }
    }

    /** Removes all elements from the queue. */
    public final void clear() {
        while (size > 0) {
            poll();
        }
    }
}
