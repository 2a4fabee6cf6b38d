package io.kcp.netty;

import org.jspecify.annotations.Nullable;

/** The sessions that a batch of datagrams concerns, each once, in the order in which they were first met. */
final class SessionBatch {

    private @Nullable DefaultKcpChannel first;
    private @Nullable DefaultKcpChannel last;

    void add(DefaultKcpChannel session) {
        if (session.inBatch) {
            return;
        }
        session.inBatch = true;
        DefaultKcpChannel before = last;
        if (before == null) {
            first = session;
        } else {
            before.nextInBatch = session;
        }
        last = session;
    }

    /** Takes the first one out. It still counts as met until it says otherwise. */
    @Nullable DefaultKcpChannel poll() {
        DefaultKcpChannel session = first;
        if (session != null) {
            first = session.nextInBatch;
            if (first == null) {
                last = null;
            }
            session.nextInBatch = null;
        }
        return session;
    }
}
