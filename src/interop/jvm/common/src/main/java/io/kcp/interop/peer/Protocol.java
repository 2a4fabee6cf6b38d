package io.kcp.interop.peer;

import java.util.function.Supplier;

/** A library as the works see it. All methods may be called from any thread. */
public interface Protocol {

    /** Binds a port of {@link Options#host()} (0: any) and gives each session it accepts a listener. Returns the port, bound. */
    int listen(int port, Supplier<SessionListener> listeners) throws Exception;

    /** Opens a session; the listener is told when it is there. */
    void connect(int port, SessionListener listener) throws Exception;

    /** Whether the server learns that a client has closed its session. */
    default boolean tellsOfClose() {
        return false;
    }

    /** Whether what is written may get lost. */
    default boolean losesMessages() {
        return false;
    }

    /** Client sockets that hold so many sessions. */
    default int sockets(int sessions) {
        return sessions;
    }
}
