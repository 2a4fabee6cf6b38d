package io.kcp.netty.session;

import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue that contains each session at most once. The queue is linked through fields of the sessions, so that it needs no allocation.
 * Each kind of queue is a final class with its own field, so that a session may be in one queue of each kind and the JIT compiler can
 * inline the access to the field.
 */
public abstract class SessionQueue {

    /** The queue of sessions to process at the end of a read batch. */
    public static final class Batch extends SessionQueue {

        @Override
        public @Nullable AbstractSession next(AbstractSession session) {
            return session.nextInBatch;
        }

        @Override
        void setNext(AbstractSession session, @Nullable AbstractSession next) {
            session.nextInBatch = next;
        }
    }

    /** The queue of sessions that wait until the socket is writable. */
    public static final class Blocked extends SessionQueue {

        @Override
        public @Nullable AbstractSession next(AbstractSession session) {
            return session.nextBlocked;
        }

        @Override
        void setNext(AbstractSession session, @Nullable AbstractSession next) {
            session.nextBlocked = next;
        }
    }

    /** The queue of sessions whose deadline has passed, in the order of their deadlines. */
    public static final class Due extends SessionQueue {

        @Override
        public @Nullable AbstractSession next(AbstractSession session) {
            return session.nextDue;
        }

        @Override
        void setNext(AbstractSession session, @Nullable AbstractSession next) {
            session.nextDue = next;
        }
    }

    private @Nullable AbstractSession first;
    private @Nullable AbstractSession last;
    private int size;

    private SessionQueue() {
    }

    /** Returns the session that was added after the given session, or null if there is none. */
    public abstract @Nullable AbstractSession next(AbstractSession session);

    abstract void setNext(AbstractSession session, @Nullable AbstractSession next);

    /** Returns the session that was added first, or null if the queue is empty. */
    public @Nullable AbstractSession first() {
        return first;
    }

    /** Returns the number of sessions in the queue. */
    public int size() {
        return size;
    }

    /** Appends a session, unless it is already in the queue. */
    public void add(AbstractSession session) {
        AbstractSession before = last;
        if (session == before || next(session) != null) {
            return;
        }
        if (before == null) {
            first = session;
        } else {
            setNext(before, session);
        }
        last = session;
        size++;
    }

    /** Removes and returns the session that was added first, or returns null if the queue is empty. */
    public @Nullable AbstractSession poll() {
        AbstractSession session = first;
        if (session != null) {
            first = next(session);
            setNext(session, null);
            if (first == null) {
                last = null;
            }
            size--;
        }
        return session;
    }

    /** Removes all sessions from the queue. */
    public void clear() {
        while (size > 0) {
            poll();
        }
    }
}
