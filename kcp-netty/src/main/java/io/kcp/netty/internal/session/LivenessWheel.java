package io.kcp.netty.internal.session;

import org.jspecify.annotations.Nullable;

/**
 * Schedules the keepalive and idle-timeout checks of sessions, with a resolution of one second. It is a timer wheel with one list of
 * sessions per second. A session is moved when its check is due, not when a datagram arrives, so that inbound traffic causes no timer
 * operations.
 */
public final class LivenessWheel {

    private static final int SECONDS = 128;

    private final @Nullable AbstractSession[] buckets = new AbstractSession[SECONDS];
    private int size;
    private long currentSecond;

    /** Returns {@code true} if no session is in the wheel. */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * Adds a session that is not in the wheel yet. If its check is due later than the last second that the wheel covers, the session is
     * polled early and must be added again.
     */
    public void add(AbstractSession session, long dueMs, long nowMs) {
        if (size == 0) {
            currentSecond = nowMs / 1000;
        }
        long second = Math.min(Math.max((dueMs + 999) / 1000, currentSecond + 1), currentSecond + SECONDS - 1);
        int bucket = (int) (second % SECONDS);
        AbstractSession head = buckets[bucket];
        session.wheelBucket = bucket;
        session.wheelPrevious = null;
        session.wheelNext = head;
        if (head != null) {
            head.wheelPrevious = session;
        }
        buckets[bucket] = session;
        size++;
    }

    /** Removes a session from the wheel, if it is present. */
    public void remove(AbstractSession session) {
        if (session.wheelBucket < 0) {
            return;
        }
        AbstractSession previous = session.wheelPrevious;
        AbstractSession next = session.wheelNext;
        if (previous == null) {
            buckets[session.wheelBucket] = next;
        } else {
            previous.wheelNext = next;
        }
        if (next != null) {
            next.wheelPrevious = previous;
        }
        session.wheelPrevious = null;
        session.wheelNext = null;
        session.wheelBucket = -1;
        size--;
    }

    /** Removes and returns a session whose check is due, or returns null if there is none. */
    public @Nullable AbstractSession pollDue(long nowMs) {
        long second = nowMs / 1000;
        if (second - currentSecond > SECONDS) {
            currentSecond = second - SECONDS;
        }
        while (currentSecond <= second) {
            AbstractSession session = buckets[(int) (currentSecond % SECONDS)];
            if (session != null) {
                remove(session);
                return session;
            }
            if (currentSecond == second) {
                return null;
            }
            currentSecond++;
        }
        return null;
    }
}
