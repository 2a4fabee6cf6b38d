package io.kcp.netty;

import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue that contains each session at most once. The links are fields of the sessions, so that the queue allocates nothing. Each
 * kind of queue is a final class with its own link field, so that a session may be in one queue of each kind and the JIT compiler can
 * inline the access to the link.
 */
abstract class SessionQueue {

    /** The sessions of one read batch, in the order of their first datagram in the batch. */
    static final class Batch extends SessionQueue {

        @Override
        @Nullable DefaultKcpChannel next(DefaultKcpChannel session) {
            return session.nextInBatch;
        }

        @Override
        void setNext(DefaultKcpChannel session, @Nullable DefaultKcpChannel next) {
            session.nextInBatch = next;
        }
    }

    /** The sessions that wait until the socket is writable, in the order in which they began to wait. */
    static final class Blocked extends SessionQueue {

        @Override
        @Nullable DefaultKcpChannel next(DefaultKcpChannel session) {
            return session.nextBlocked;
        }

        @Override
        void setNext(DefaultKcpChannel session, @Nullable DefaultKcpChannel next) {
            session.nextBlocked = next;
        }
    }

    /** The sessions whose deadline has passed, in the order of their deadlines. */
    static final class Due extends SessionQueue {

        @Override
        @Nullable DefaultKcpChannel next(DefaultKcpChannel session) {
            return session.nextDue;
        }

        @Override
        void setNext(DefaultKcpChannel session, @Nullable DefaultKcpChannel next) {
            session.nextDue = next;
        }
    }

    private @Nullable DefaultKcpChannel first;
    private @Nullable DefaultKcpChannel last;
    private int size;

    abstract @Nullable DefaultKcpChannel next(DefaultKcpChannel session);

    abstract void setNext(DefaultKcpChannel session, @Nullable DefaultKcpChannel next);

    /** Returns the session that was added first, null if the queue is empty. */
    @Nullable DefaultKcpChannel first() {
        return first;
    }

    int size() {
        return size;
    }

    /** Appends a session, unless it is already in the queue. */
    void add(DefaultKcpChannel session) {
        DefaultKcpChannel before = last;
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
    @Nullable DefaultKcpChannel poll() {
        DefaultKcpChannel session = first;
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

    void clear() {
        while (size > 0) {
            poll();
        }
    }
}
