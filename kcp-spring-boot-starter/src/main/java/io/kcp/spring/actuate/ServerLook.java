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
 * A look at one server for somebody who waits for it: its event loops have two seconds to answer, all questions together, and
 * what they do not answer has a reason that can be shown. Not for event loops.
 */
final class ServerLook {

    /** How long one request may take. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final KcpServer server;
    private final @Nullable KcpServerChannel channel;
    private final @Nullable Future<KcpListenerStats> asked;
    private final long untilNanos = System.nanoTime() + PATIENCE_NANOS;
    private @Nullable String problem;

    /** Begins to ask for the figures. */
    ServerLook(KcpServer server) {
        this.server = server;
        channel = channelOf(server);
        asked = channel == null ? null : channel.collectStats();
        problem = channel == null ? "it does not run" : null;
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

    /** Returns where it listens, null if it does not run. */
    @Nullable String address() {
        return channel == null || channel.localAddress() == null ? null : channel.localAddress().toString();
    }

    /** Waits for the figures; null if there are none, for the reason that is then the {@link #problem}. */
    @Nullable KcpListenerStats figures() {
        Future<KcpListenerStats> future = asked;
        return future != null && answers(future) ? future.getNow() : null;
    }

    /** Visits all sessions on their event loops and waits for it; tells whether all were visited. */
    boolean visit(Consumer<KcpSessionView> action) {
        KcpServerChannel open = channel;
        return open != null && problem == null && answers(open.forEachSession(action));
    }

    /** Returns why something is missing, null if nothing is. */
    @Nullable String problem() {
        return problem;
    }

    private boolean answers(Future<?> future) {
        try {
            if (!future.await(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                problem = "its event loops did not answer within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s";
            } else if (!future.isSuccess()) {
                problem = "its event loops do not answer: " + future.cause();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            problem = "the wait for its event loops was interrupted";
        }
        return future.isSuccess();
    }
}
