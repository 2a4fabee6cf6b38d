package io.kcp.spring.actuate;

import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionView;
import io.kcp.spring.KcpServer;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Queries the state of one server. If the event loops do not respond to all calls within two seconds in total, the query reports a
 * problem. The query blocks, so it must not be used on event loops.
 */
final class ServerQuery {

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final KcpServer server;
    private final @Nullable KcpServerChannel channel;
    private final @Nullable Future<KcpListenerStats> pendingStats;
    private final long deadlineNanos = System.nanoTime() + TIMEOUT_NANOS;
    private @Nullable String problem;

    /** Creates a query and starts collecting the statistics of the server. */
    ServerQuery(KcpServer server) {
        this.server = server;
        channel = channelOf(server);
        pendingStats = channel == null ? null : channel.collectStats();
        problem = channel == null ? "the server is not running" : null;
    }

    private static @Nullable KcpServerChannel channelOf(KcpServer server) {
        try {
            return server.channel();
        } catch (IllegalStateException notRunning) {
            return null;
        }
    }

    String name() {
        return server.name();
    }

    String wireSettings() {
        return server.wireSettings();
    }

    ServerState state() {
        KcpServerChannel open = channel;
        if (open == null || !open.isOpen()) {
            return ServerState.STOPPED;
        }
        return open.isAccepting() ? ServerState.ACCEPTING : ServerState.DRAINING;
    }

    /** Returns the local address, or null if the server is not running. */
    @Nullable String address() {
        return channel == null || channel.localAddress() == null ? null : channel.localAddress().toString();
    }

    /**
     * Waits for the statistics of the server. Returns null if the statistics are not available; {@link #problem} then returns the reason.
     */
    @Nullable KcpListenerStats stats() {
        Future<KcpListenerStats> future = pendingStats;
        return future != null && completes(future) ? future.getNow() : null;
    }

    /**
     * Passes each session to an action on the session's event loop, and waits until the action has processed all sessions. Returns
     * {@code false} if the action has not processed all sessions before the timeout.
     */
    boolean visit(Consumer<KcpSessionView> action) {
        KcpServerChannel open = channel;
        return open != null && problem == null && completes(open.forEachSession(action));
    }

    /** Returns the reason why data is missing, or null if the data is complete. */
    @Nullable String problem() {
        return problem;
    }

    private boolean completes(Future<?> future) {
        try {
            if (!future.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                problem = "its event loops did not respond within " + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS) + " s";
            } else if (!future.isSuccess()) {
                problem = "its event loops do not respond: " + future.cause();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            problem = "waiting for its event loops was interrupted";
        }
        return future.isSuccess();
    }
}
