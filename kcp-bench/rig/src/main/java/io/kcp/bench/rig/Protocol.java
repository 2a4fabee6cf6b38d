package io.kcp.bench.rig;

import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Adapts a library or protocol to the workloads. Any thread may call any method. */
public interface Protocol extends AutoCloseable {

    /**
     * Binds a server and returns its port. Each accepted session gets its own listener from {@code listeners}.
     *
     * @param port port on {@link Setup#host()}, or 0 for any free port
     */
    int listen(int port, Supplier<SessionListener> listeners) throws Exception;

    /**
     * Opens a session and calls {@link SessionListener#opened(Session)} when the session is open. Event loops call this method, so it must
     * not wait for the session.
     */
    void connect(int port, SessionListener listener) throws Exception;

    /** Returns {@code true} if the protocol notifies a server when a client has closed a session. */
    default boolean notifiesOfClose() {
        return false;
    }

    /** Returns {@code true} if the protocol does not retransmit lost messages. */
    default boolean losesMessages() {
        return false;
    }

    /** Returns the number of sockets that a client uses for {@code sessions} open sessions. */
    default int sockets(int sessions) {
        return sessions;
    }

    /** Returns the current statistics of the sessions as the response to the command {@code stats}, or null if the library has none. */
    default @Nullable ObjectNode stats() {
        return null;
    }

    /** Returns further commands of the program by their names. Each returns the event that responds to the command. */
    default Map<String, Supplier<ObjectNode>> commands() {
        return Map.of();
    }

    /** Returns a workload that replaces the one of the rig because the library is used through another API, or null. */
    default @Nullable Workload workload(Load load) {
        return null;
    }

    /** Closes all sockets and terminates the event loops. */
    @Override
    default void close() {
        // The process ends after this call, which closes all sockets.
    }
}
