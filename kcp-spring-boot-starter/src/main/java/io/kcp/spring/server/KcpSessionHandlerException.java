package io.kcp.spring.server;

import io.kcp.spring.KcpServer;
import java.io.Serial;
import java.util.List;

/** Thrown when a server has no session handler or more than one. */
public final class KcpSessionHandlerException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String serverName;
    private final String problem;
    private final String remedy;

    private KcpSessionHandlerException(String serverName, String problem, String remedy) {
        super(problem + ". " + remedy + '.');
        this.serverName = serverName;
        this.problem = problem;
        this.remedy = remedy;
    }

    static KcpSessionHandlerException missing(String serverName) {
        return new KcpSessionHandlerException(serverName, "No bean handles the sessions of the KCP server \"" + serverName + "\"",
            "Define a bean of type ChannelInitializer<KcpChannel> or a @KcpController. If other servers have such beans too, name one "
                + "of them \"" + serverName + "\", annotate it with @Qualifier(\"" + serverName + "\"), or use @KcpController(server = \""
                + serverName + "\")");
    }

    /** Creates an exception that lists several handlers by bean or class name. */
    static KcpSessionHandlerException ambiguous(String serverName, List<String> candidates) {
        return new KcpSessionHandlerException(serverName, "Several handlers apply to the sessions of the KCP server \"" + serverName
            + "\": " + String.join(", ", candidates), "Keep one of them. To keep several, give one initializer the bean name \""
            + serverName + "\" or annotate it with @Qualifier(\"" + serverName + "\"), and name the others after their servers. "
            + "To assign a controller to a server, use @KcpController(server = \"...\")");
    }

    /**
     * Returns the name of the server.
     *
     * @return see {@link KcpServer#name()}
     */
    public String serverName() {
        return serverName;
    }

    String problem() {
        return problem;
    }

    String remedy() {
        return remedy;
    }
}
