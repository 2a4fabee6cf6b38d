package io.kcp.bench.experiment;

import io.kcp.bench.Json;
import io.kcp.bench.attack.AttackKind;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Echo server that {@link Attack} attacks.
 *
 * @param prefix command that pins the server to a processor, or empty
 */
record AttackTarget(Contender contender, Peer peer, List<String> prefix) {

    static final InetAddress HOST = NetUtil.LOCALHOST4;

    /** Bytes that a server sends to each new session in {@link AttackKind#GREETING}, a multiple of the size of the messages. */
    private static final int GREETING_BYTES = 184_320;

    private static final List<String> JVM_OPTIONS = List.of("-Xms128m", "-Xmx128m", "-Xmn32m");

    /** Creates a target. All programs on the JVM get the same heap. */
    static AttackTarget of(Contender contender, Peer peer, List<String> prefix) {
        return new AttackTarget(contender, peer.withJvm(JVM_OPTIONS), prefix);
    }

    /**
     * Returns the only conversation id that the server accepts, or null if a client can choose it. java-Kcp identifies a session by its
     * address and accepts only the id of its own settings.
     */
    @Nullable Integer onlyConv() {
        return peer.name().equals(Peer.JAVA_KCP) ? 0 : null;
    }

    boolean isQuic() {
        return peer.name().equals(Peer.QUIC);
    }

    boolean supports(AttackKind attack) {
        return isQuic() ? attack.appliesToQuic() : peer.hasLayers() || layers(attack).equals(Layers.NONE) && !attack.isGreeting();
    }

    static Layers layers(AttackKind attack) {
        return new Layers(attack.cipher(), attack.fec());
    }

    /** Returns the command to which the server responds with statistics, or null if it has none. */
    @Nullable String statsCommand() {
        return peer.isOurs() ? "listener" : peer.hasLayers() ? "stats" : null;
    }

    /** Returns the maximum number of open sessions from the statistics of the server, or NaN. */
    double peakSessions(@Nullable JsonNode stats) {
        return stats == null ? Double.NaN
            : peer.isOurs() ? Json.number(stats, "max_active") : Json.number(stats.path("snmp"), "MaxConn");
    }

    List<String> command(AttackKind attack, AttackOptions options) {
        List<String> common = new ArrayList<>(List.of("--work", "echo", "--listen", "0"));
        if (attack.isGreeting()) {
            common.addAll(List.of("--greet-bytes", Integer.toString(GREETING_BYTES)));
        }
        if (peer.isOurs()) {
            common.addAll(List.of("--mode", "MESSAGE", "--untrusted", "--max-sessions", Integer.toString(options.maxSessions)));
        } else {
            common.addAll(List.of("--write-bytes", "64"));
        }
        List<String> command = new ArrayList<>(prefix);
        command.addAll(peer.command(Peer.SERVER, contender, layers(attack), common));
        return command;
    }
}
