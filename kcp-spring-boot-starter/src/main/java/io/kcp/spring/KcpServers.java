package io.kcp.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** All KCP servers of this application, whether running or not. Available as a bean. */
public interface KcpServers extends Iterable<KcpServer> {

    /** Lifecycle phase in which the sessions of graceful servers finish, the phase of the graceful shutdown of Boot's web servers. */
    int GRACEFUL_SHUTDOWN_PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    /** Lifecycle phase in which servers are bound and closed, the phase of the start and stop of Boot's web servers. */
    int START_STOP_LIFECYCLE_PHASE = GRACEFUL_SHUTDOWN_PHASE - 1024;

    /**
     * Finds a server by name.
     *
     * @param name see {@link KcpServer#name()}
     * @return the server; null if there is no server of that name
     */
    @Nullable KcpServer find(String name);
}
