package io.kcp.interop.peer;

import java.util.function.Supplier;

/** Adapts a library so that the scenarios can use it. Any thread may call any method. */
public interface Protocol {

    /**
     * Binds a server and returns its port. Each accepted session gets its own listener from {@code listeners}.
     *
     * @param port port on {@link Options#host()}, or 0 for any free port
     */
    int listen(int port, Supplier<SessionListener> listeners) throws Exception;

    /** Opens a session and calls {@link SessionListener#opened(Session)} when the session is open. */
    void connect(int port, SessionListener listener) throws Exception;

    /** Returns {@code true} if the protocol notifies a server when a client has closed a session. */
    default boolean tellsOfClose() {
        return false;
    }

    /** Returns {@code true} if the protocol does not retransmit lost messages. */
    default boolean losesMessages() {
        return false;
    }

    /** Returns the number of sockets that a client uses for {@code sessions} sessions. */
    default int sockets(int sessions) {
        return sessions;
    }
}
