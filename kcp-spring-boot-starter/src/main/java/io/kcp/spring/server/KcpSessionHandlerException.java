package io.kcp.spring.server;

import io.kcp.spring.KcpServer;
import java.io.Serial;
import java.util.List;

/** It is not clear what handles the sessions of a server. */
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
        return new KcpSessionHandlerException(serverName, "Nothing handles the sessions of the KCP server \"" + serverName + "\"",
            "Define a bean of type ChannelInitializer<KcpChannel>, or a @KcpController; if there are several for several servers, name "
                + "one of them \"" + serverName + "\", give it @Qualifier(\"" + serverName + "\"), or write @KcpController(server = \""
                + serverName + "\")");
    }

    /** {@code candidates} are names of beans or classes. */
    static KcpSessionHandlerException ambiguous(String serverName, List<String> candidates) {
        return new KcpSessionHandlerException(serverName, "More than one could handle the sessions of the KCP server \"" + serverName
            + "\": " + String.join(", ", candidates), "Keep one, or name one of the initializers \"" + serverName
            + "\", or give it @Qualifier(\"" + serverName + "\"), and let the others go to servers of their own names; "
            + "@KcpController(server = \"...\") says whose sessions a controller takes");
    }

    /**
     * Returns the server.
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
