package io.kcp.netty;

import org.jspecify.annotations.Nullable;

/**
 * When sessions are to be looked at for keepalive and idle timeout, to the second: a ring of lists, one a second. A
 * session is touched when its second comes, not when something arrives for it.
 */
final class LivenessWheel {

    private static final int SECONDS = 128;

    private final @Nullable DefaultKcpChannel[] buckets = new DefaultKcpChannel[SECONDS];
    private int size;
    private long currentSecond;

    boolean isEmpty() {
        return size == 0;
    }

    /** Puts a session, which must not be in the wheel, where it is due; a longer wait comes by again. */
    void add(DefaultKcpChannel session, long dueMs, long nowMs) {
        if (size == 0) {
            currentSecond = nowMs / 1000;
        }
        long second = Math.min(Math.max((dueMs + 999) / 1000, currentSecond + 1), currentSecond + SECONDS - 1);
        int bucket = (int) (second % SECONDS);
        DefaultKcpChannel head = buckets[bucket];
        session.wheelBucket = bucket;
        session.wheelPrevious = null;
        session.wheelNext = head;
        if (head != null) {
            head.wheelPrevious = session;
        }
        buckets[bucket] = session;
        size++;
    }

    void remove(DefaultKcpChannel session) {
        if (session.wheelBucket < 0) {
            return;
        }
        DefaultKcpChannel previous = session.wheelPrevious;
        DefaultKcpChannel next = session.wheelNext;
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

    /** Returns a session whose second has come and takes it out; null if there is none (left). */
    @Nullable DefaultKcpChannel pollDue(long nowMs) {
        long second = nowMs / 1000;
        if (second - currentSecond > SECONDS) {
            currentSecond = second - SECONDS;
        }
        while (currentSecond <= second) {
            DefaultKcpChannel session = buckets[(int) (currentSecond % SECONDS)];
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
