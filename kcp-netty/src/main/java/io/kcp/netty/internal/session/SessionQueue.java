package io.kcp.netty.internal.session;

import io.kcp.netty.internal.base.LinkedQueue;
import org.jspecify.annotations.Nullable;

/** A FIFO queue that contains each session at most once. */
public abstract class SessionQueue extends LinkedQueue<AbstractSession> {

    private SessionQueue() {
    }

    /** The queue of sessions to process at the end of a read batch. */
    public static final class Batch extends SessionQueue {

        @Override
        public @Nullable AbstractSession next(AbstractSession session) {
            return session.nextInBatch;
        }

        @Override
        protected void setNext(AbstractSession session, @Nullable AbstractSession next) {
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
        protected void setNext(AbstractSession session, @Nullable AbstractSession next) {
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
        protected void setNext(AbstractSession session, @Nullable AbstractSession next) {
            session.nextDue = next;
        }
    }
}
