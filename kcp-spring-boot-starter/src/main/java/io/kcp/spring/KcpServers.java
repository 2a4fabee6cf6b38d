package io.kcp.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Provides access to all KCP servers of the application, whether or not they are running. Available as a bean. */
public interface KcpServers extends Iterable<KcpServer> {

    /**
     * Lifecycle phase in which servers with graceful shutdown drain their sessions. It equals the graceful shutdown phase of Boot's web
     * servers.
     */
    int GRACEFUL_SHUTDOWN_PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    /** Lifecycle phase in which servers are bound and closed. It equals the start and stop phase of Boot's web servers. */
    int START_STOP_LIFECYCLE_PHASE = GRACEFUL_SHUTDOWN_PHASE - 1024;

    /**
     * Finds a server by name.
     *
     * @param name see {@link KcpServer#name()}
     * @return the server; null if there is no server of that name
     */
    @Nullable KcpServer find(String name);
}
