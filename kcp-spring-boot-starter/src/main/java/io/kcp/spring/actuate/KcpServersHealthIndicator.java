package io.kcp.spring.actuate;

import io.kcp.netty.KcpListenerStats;
import io.kcp.spring.KcpServers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports the health of all KCP servers. The status is up if every server accepts sessions and its event loops respond, out of service
 * while a server drains its sessions, and down if a server is not running or its event loops do not respond. The details show whether a
 * server is overloaded. An overload does not change the status, because taking a server out of service would overload the others.
 */
final class KcpServersHealthIndicator extends AbstractHealthIndicator {

    /** Delay of an event loop's timers, or of the calls of handlers, from which on a server counts as overloaded. */
    private static final long OVERLOAD_DELAY_MS = 200;
    /** Used share of a receive buffer above which a server counts as overloaded. */
    private static final double OVERLOAD_QUEUE_SHARE = 0.5;

    private final KcpServers servers;
    /** Datagrams that the kernel had discarded at the previous health check, by server. */
    private final Map<String, Long> formerDrops = new ConcurrentHashMap<>();

    KcpServersHealthIndicator(KcpServers servers) {
        super("The health of the KCP servers could not be determined");
        this.servers = servers;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        List<ServerQuery> queries = new ArrayList<>();
        // Starts all queries before waiting for the first response, so that the servers respond in parallel.
        servers.forEach(server -> queries.add(new ServerQuery(server)));
        Status status = Status.UP;
        for (ServerQuery query : queries) {
            health.withDetail(query.name(), details(query));
            if (query.problem() != null || query.state() == ServerState.STOPPED) {
                status = Status.DOWN;
            } else if (query.state() == ServerState.DRAINING && status == Status.UP) {
                status = Status.OUT_OF_SERVICE;
            }
        }
        health.status(status);
    }

    private Map<String, Object> details(ServerQuery query) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", query.state().name());
        putIfKnown(details, "address", query.address());
        KcpListenerStats stats = query.stats();
        putIfKnown(details, "sessions", stats == null ? null : stats.activeSessions());
        if (stats != null) {
            details.put("eventLoopLagMs", stats.maxTimerDelayMs());
            details.put("handlingDelayMs", stats.maxHandlingDelayMs());
            details.put("receiveDrops", stats.receiveDrops());
            details.put("overloaded", isOverloaded(query.name(), stats));
        }
        putIfKnown(details, "problem", query.problem());
        return details;
    }

    private boolean isOverloaded(String server, KcpListenerStats stats) {
        Long former = formerDrops.put(server, stats.receiveDrops());
        return stats.receiveDrops() > (former == null ? 0 : former) || stats.maxTimerDelayMs() >= OVERLOAD_DELAY_MS
            || stats.maxHandlingDelayMs() >= OVERLOAD_DELAY_MS
            || stats.sockets().stream().anyMatch(socket -> socket.receiveQueueBytes() > OVERLOAD_QUEUE_SHARE * socket.receiveBufferBytes());
    }

    private static void putIfKnown(Map<String, Object> details, String name, @Nullable Object value) {
        if (value != null) {
            details.put(name, value);
        }
    }
}
