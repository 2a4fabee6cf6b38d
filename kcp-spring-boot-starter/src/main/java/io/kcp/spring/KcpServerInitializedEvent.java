package io.kcp.spring;

import java.io.Serial;
import org.springframework.context.ApplicationEvent;

/** Event that is published when a KCP server has been bound. The property {@code local.kcp.<name>.port} contains the port of the server. */
public final class KcpServerInitializedEvent extends ApplicationEvent {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an event.
     *
     * @param server the bound server
     */
    public KcpServerInitializedEvent(KcpServer server) {
        super(server);
    }

    /**
     * Returns the server.
     *
     * @return the server
     */
    public KcpServer getServer() {
        return (KcpServer) getSource();
    }
}
