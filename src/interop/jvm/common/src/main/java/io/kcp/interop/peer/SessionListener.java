package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Receives the events of a session, on the session's thread. */
public abstract class SessionListener {

    /** Called when the session is open. */
    public void opened(Session session) {
    }

    /** Called for each message, or for each piece of a stream. Borrows the buffer. */
    public abstract void received(Session session, ByteBuf message);

    /** Called when all data that has arrived has been passed to {@link #received}. */
    public void receivedAll(Session session) {
    }

    /** Called when the session fails or when it closes for a reason other than a call of {@link Session#close()}. */
    public void failed(Throwable cause) {
        Peer.lost(cause);
    }
}
