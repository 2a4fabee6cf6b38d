package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;

/** Receives the events of a session on the session's thread. */
public interface SessionListener {

    /** Called when the session is open. */
    default void opened(Session session) {
        // Most listeners wait for data.
    }

    /** Called for each message, or for each piece of a stream. Takes the buffer. */
    void received(Session session, ByteBuf message);

    /** Called when all data that has arrived has been passed to {@link #received}. */
    default void receivedAll(Session session) {
        // Most listeners handle each message at once.
    }

    /** Called when the session fails, or when it closes for a reason other than a call of {@link Session#close()}. */
    void failed(Throwable cause);
}
