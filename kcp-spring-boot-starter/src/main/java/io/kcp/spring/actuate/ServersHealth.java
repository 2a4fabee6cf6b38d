package io.kcp.spring.actuate;

import io.kcp.netty.KcpListenerStats;
import io.kcp.spring.KcpServers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Up when all servers accept sessions and their event loops answer. Out of service when one accepts no more because it drains,
 * down when one does not run or does not answer.
 */
final class ServersHealth extends AbstractHealthIndicator {

    private final KcpServers servers;

    ServersHealth(KcpServers servers) {
        super("The health of KCP servers is not known");
        this.servers = servers;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        List<ServerLook> looks = new ArrayList<>();
        // All of them first: they answer at the same time.
        servers.forEach(server -> looks.add(new ServerLook(server)));
        Status status = Status.UP;
        for (ServerLook look : looks) {
            health.withDetail(look.name(), details(look));
            if (look.problem() != null || look.state() == ServerState.STOPPED) {
                status = Status.DOWN;
            } else if (look.state() == ServerState.DRAINING && status == Status.UP) {
                status = Status.OUT_OF_SERVICE;
            }
        }
        health.status(status);
    }

    private static Map<String, Object> details(ServerLook look) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", look.state().name());
        putIfKnown(details, "address", look.address());
        KcpListenerStats figures = look.figures();
        putIfKnown(details, "sessions", figures == null ? null : figures.activeSessions());
        putIfKnown(details, "problem", look.problem());
        return details;
    }

    private static void putIfKnown(Map<String, Object> details, String name, @Nullable Object value) {
        if (value != null) {
            details.put(name, value);
        }
    }
}
