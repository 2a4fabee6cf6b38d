package io.kcp.netty;

import org.jspecify.annotations.Nullable;

/** The sessions that wait for room in the socket, in the order in which they began to wait. */
final class BlockedSessions {

    private @Nullable DefaultKcpChannel first;
    private @Nullable DefaultKcpChannel last;

    void add(DefaultKcpChannel session) {
        if (session.blocked) {
            return;
        }
        session.blocked = true;
        DefaultKcpChannel before = last;
        if (before == null) {
            first = session;
        } else {
            before.nextBlocked = session;
        }
        last = session;
    }

    /** Lets the sessions that wait by now go on; one that fails is closed, and the others go on. */
    void unblock(long nowMs) {
        DefaultKcpChannel session = first;
        first = null;
        last = null;
        while (session != null) {
            DefaultKcpChannel next = session.nextBlocked;
            session.nextBlocked = null;
            session.blocked = false;
            try {
                session.onUnblocked(nowMs);
            } catch (RuntimeException | OutOfMemoryError failure) {
                session.failWith(failure);
            }
            session = next;
        }
    }
}
