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
 * Actuator's endpoint {@code kcp}: what each server does, which of its sessions stand out, and single sessions. Reads only, and
 * has no secrets, but addresses of clients. What event loops do not answer within two seconds is left out, and the answer says
 * so.
 */
@Endpoint(id = "kcp")
public final class KcpEndpoint {

    private static final int DEFAULT_LIMIT = 10;
    private static final int MAX_LIMIT = 100;

    private final KcpServers servers;

    /**
     * Creates an endpoint.
     *
     * @param servers what to tell of
     */
    public KcpEndpoint(KcpServers servers) {
        this.servers = servers;
    }

    /**
     * All servers, by name.
     *
     * @param servers what each does
     */
    public record Servers(Map<String, Server> servers) { }

    /**
     * One server.
     *
     * @param state        whether it accepts sessions
     * @param address      where it listens, null if it does not
     * @param wireSettings what the other side is to be set to, in kcp-go's words
     * @param figures      what it did so far, null if that is not known
     * @param problem      why something is missing, null if nothing is
     */
    public record Server(ServerState state, @Nullable String address, String wireSettings, @Nullable KcpListenerStats figures,
        @Nullable String problem) { }

    /**
     * One server and the sessions that stand out.
     *
     * @param server                   what it does
     * @param mostBytes                sessions that sent and received the most bytes
     * @param mostRetransmissions      sessions that sent the largest share of their segments again
     * @param longestRoundTrips        sessions with the longest round trips
     */
    public record ServerSessions(Server server, List<Session> mostBytes, List<Session> mostRetransmissions,
        List<Session> longestRoundTrips) { }

    /**
     * One session.
     *
     * @param conv                the conversation id, without sign
     * @param remoteAddress       the peer
     * @param ageMs               milliseconds since it began
     * @param retransmissionShare how much of what it sent was sent again, 0 to 1
     * @param stats               all its figures
     */
    public record Session(long conv, String remoteAddress, long ageMs, double retransmissionShare, KcpSessionStats stats) {

        static Session of(KcpSessionView view) {
            return new Session(Integer.toUnsignedLong(view.conv()), view.remoteAddress().toString(), view.ageMs(),
                TopSessions.retransmissionShare(view), view.stats());
        }
    }

    /**
     * The sessions of one conversation id: usually one, as clients draw it at random, each for itself.
     *
     * @param sessions the sessions
     * @param problem  why some may be missing, null if none is
     */
    public record Conversation(List<Session> sessions, @Nullable String problem) { }

    /**
     * Tells what all servers do.
     *
     * @return by name
     */
    @ReadOperation
    public Servers servers() {
        List<ServerLook> looks = new ArrayList<>();
        servers.forEach(server -> looks.add(new ServerLook(server)));
        Map<String, Server> byName = new LinkedHashMap<>();
        looks.forEach(look -> byName.put(look.name(), describe(look)));
        return new Servers(byName);
    }

    /**
     * Tells what one server does and which sessions stand out.
     *
     * @param server name of the server
     * @param limit  how many sessions of each kind, 10 if null, at most 100
     * @return null if there is no such server
     */
    @ReadOperation
    public @Nullable ServerSessions server(@Selector String server, @Nullable Integer limit) {
        KcpServer found = servers.find(server);
        if (found == null) {
            return null;
        }
        ServerLook look = new ServerLook(found);
        TopSessions top = new TopSessions(limit == null ? DEFAULT_LIMIT : Math.max(0, Math.min(limit, MAX_LIMIT)));
        look.visit(top::add);
        return new ServerSessions(describe(look), describe(top.mostBytes()), describe(top.mostRetransmissions()),
            describe(top.longestRoundTrips()));
    }

    /**
     * Tells how the sessions of one conversation stand.
     *
     * @param server name of the server
     * @param conv   the conversation id, as it is shown here, without sign, or as {@code KcpChannel.conv()} has it, with one
     * @return null if there is no such server
     */
    @ReadOperation
    public @Nullable Conversation session(@Selector String server, @Selector long conv) {
        KcpServer found = servers.find(server);
        if (found == null) {
            return null;
        }
        ServerLook look = new ServerLook(found);
        List<KcpSessionView> views = Collections.synchronizedList(new ArrayList<>());
        look.visit(view -> {
            if (view.conv() == conv || Integer.toUnsignedLong(view.conv()) == conv) {
                views.add(view);
            }
        });
        synchronized (views) {
            return new Conversation(describe(List.copyOf(views)), look.problem());
        }
    }

    private static Server describe(ServerLook look) {
        KcpListenerStats figures = look.figures();
        return new Server(look.state(), look.address(), look.wireSettings(), figures, look.problem());
    }

    private static List<Session> describe(List<KcpSessionView> views) {
        return views.stream().map(Session::of).toList();
    }
}
