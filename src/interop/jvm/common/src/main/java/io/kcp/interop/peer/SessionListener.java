package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Told of a session by its thread. */
public abstract class SessionListener {

    /** The session is there. */
    public void opened(Session session) {
    }

    /** A message, or a piece of a stream; the buffer is lent. */
    public abstract void received(Session session, ByteBuf message);

    /** Nothing more is to be had at the moment. */
    public void receivedAll(Session session) {
    }

    /** The session ended other than by {@link Session#close()}. */
    public void failed(Throwable cause) {
        Peer.lost(cause);
    }
}
