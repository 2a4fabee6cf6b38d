package io.kcp.spring.actuate;

import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.KcpSessionView;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint {@code kcp} that exposes statistics of KCP servers and sessions. The endpoint is read-only and exposes no secrets,
 * but it exposes the addresses of clients. Statistics that an event loop does not return within two seconds are omitted, and
 * {@code problem} reports this.
 */
@Endpoint(id = "kcp")
public final class KcpEndpoint {

    private static final int DEFAULT_LIMIT = 10;
    private static final int MAX_LIMIT = 100;

    private final KcpServers servers;

    /**
     * Creates an endpoint.
     *
     * @param servers the servers of the application
     */
    public KcpEndpoint(KcpServers servers) {
        this.servers = servers;
    }

    /**
     * Statistics of all servers.
     *
     * @param servers the servers by name
     */
    public record Servers(Map<String, Server> servers) { }

    /**
     * State and statistics of one server.
     *
     * @param state        state of the server
     * @param address      local address; null if the server is not running
     * @param wireSettings Go API calls that configure a kcp-go peer to match the server
     * @param stats        statistics; null if they are not available
     * @param problem      reason for missing data; null if the data is complete
     */
    public record Server(ServerState state, @Nullable String address, String wireSettings, @Nullable KcpListenerStats stats,
        @Nullable String problem) { }

    /**
     * Statistics of one server and of its top sessions.
     *
     * @param server              the server
     * @param mostBytes           sessions that sent and received the most bytes
     * @param mostRetransmissions sessions with the largest share of retransmitted segments
     * @param longestRoundTrips   sessions with the longest round-trip time
     */
    public record ServerSessions(Server server, List<Session> mostBytes, List<Session> mostRetransmissions,
        List<Session> longestRoundTrips) { }

    /**
     * Statistics of one session.
     *
     * @param conv                conversation id, unsigned
     * @param remoteAddress       address of the peer
     * @param ageMs               milliseconds since the session was opened
     * @param retransmissionShare share of retransmissions in the sent segments, 0 to 1
     * @param stats               statistics
     */
    public record Session(long conv, String remoteAddress, long ageMs, double retransmissionShare, KcpSessionStats stats) {

        static Session of(KcpSessionView view) {
            return new Session(Integer.toUnsignedLong(view.conv()), view.remoteAddress().toString(), view.ageMs(),
                TopSessions.retransmissionShare(view), view.stats());
        }
    }

    /**
     * Sessions that have the same conversation id. Usually there is only one, because each client chooses its id at random.
     *
     * @param sessions the sessions
     * @param problem  reason why sessions may be missing; null if the list is complete
     */
    public record Conversation(List<Session> sessions, @Nullable String problem) { }

    /**
     * Returns the statistics of all servers.
     *
     * @return the servers by name
     */
    @ReadOperation
    public Servers servers() {
        List<ServerQuery> queries = new ArrayList<>();
        servers.forEach(server -> queries.add(new ServerQuery(server)));
        Map<String, Server> byName = new LinkedHashMap<>();
        queries.forEach(query -> byName.put(query.name(), describe(query)));
        return new Servers(byName);
    }

    /**
     * Returns the statistics of one server and of its top sessions.
     *
     * @param server name of the server
     * @param limit  maximum number of sessions in each list, at most 100; 10 if null
     * @return the server; null if there is no server of that name
     */
    @ReadOperation
    public @Nullable ServerSessions server(@Selector String server, @Nullable Integer limit) {
        KcpServer found = servers.find(server);
        if (found == null) {
            return null;
        }
        ServerQuery query = new ServerQuery(found);
        TopSessions top = new TopSessions(limit == null ? DEFAULT_LIMIT : Math.max(0, Math.min(limit, MAX_LIMIT)));
        query.visit(top::add);
        return new ServerSessions(describe(query), describe(top.mostBytes()), describe(top.mostRetransmissions()),
            describe(top.longestRoundTrips()));
    }

    /**
     * Returns the sessions that have the given conversation id.
     *
     * @param server name of the server
     * @param conv   conversation id, either unsigned, as in the responses of this endpoint, or signed, as {@code KcpChannel.conv()}
     *               returns it
     * @return the sessions; null if there is no server of that name
     */
    @ReadOperation
    public @Nullable Conversation session(@Selector String server, @Selector long conv) {
        KcpServer found = servers.find(server);
        if (found == null) {
            return null;
        }
        ServerQuery query = new ServerQuery(found);
        List<KcpSessionView> views = Collections.synchronizedList(new ArrayList<>());
        query.visit(view -> {
            if (view.conv() == conv || Integer.toUnsignedLong(view.conv()) == conv) {
                views.add(view);
            }
        });
        synchronized (views) {
            return new Conversation(describe(List.copyOf(views)), query.problem());
        }
    }

    private static Server describe(ServerQuery query) {
        KcpListenerStats stats = query.stats();
        return new Server(query.state(), query.address(), query.wireSettings(), stats, query.problem());
    }

    private static List<Session> describe(List<KcpSessionView> views) {
        return views.stream().map(Session::of).toList();
    }
}
