package io.kcp.netty.session;

import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue that contains each session at most once. The links are fields of the sessions, so that the queue allocates nothing. Each
 * kind of queue is a final class with its own link field, so that a session may be in one queue of each kind and the JIT compiler can
 * inline the access to the link.
 */
public abstract class SessionQueue {

    /** The sessions of one read batch, in the order of their first datagram in the batch. */
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

    /** The sessions that wait until the socket is writable, in the order in which they began to wait. */
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

    /** The sessions whose deadline has passed, in the order of their deadlines. */
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

    /** Returns the session that was added after the given session, null if there is none. */
    public abstract @Nullable AbstractSession next(AbstractSession session);

    abstract void setNext(AbstractSession session, @Nullable AbstractSession next);

    /** Returns the session that was added first, null if the queue is empty. */
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

    /** Removes and returns the session that was added first, null if the queue is empty. */
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

    /** Removes all sessions. */
    public void clear() {
        while (size > 0) {
            poll();
        }
    }
}
