package io.kcp.spring;

import org.jspecify.annotations.Nullable;

/** All servers of this application, started or not; a bean. */
public interface KcpServers extends Iterable<KcpServer> {

    /**
     * Finds a server.
     *
     * @param name see {@link KcpServer#name()}
     * @return the server, null if there is none of that name
     */
    @Nullable KcpServer find(String name);
}
