package io.kcp.bench.experiment;

import static io.kcp.bench.experiment.Metric.BYTES_SESSION;
import static io.kcp.bench.experiment.Metric.CPU_MS_MB;
import static io.kcp.bench.experiment.Metric.CPU_US_MESSAGE;
import static io.kcp.bench.experiment.Metric.GARBAGE_BYTES_DATAGRAM;
import static io.kcp.bench.experiment.Metric.MB_S;
import static io.kcp.bench.experiment.Metric.MEDIAN_US;
import static io.kcp.bench.experiment.Metric.MESSAGES_S;
import static io.kcp.bench.experiment.Metric.P50_US;
import static io.kcp.bench.experiment.Metric.P99_US;
import static io.kcp.bench.experiment.Metric.SERVER_CPU_MS_S;
import static io.kcp.bench.experiment.Metric.SPURIOUS;
import static io.kcp.bench.experiment.Peer.JAVA_KCP;
import static io.kcp.bench.experiment.Peer.KCP_GO;
import static io.kcp.bench.experiment.Peer.KCP_NETTY;
import static io.kcp.bench.experiment.Peer.OURS;
import static io.kcp.bench.experiment.Peer.QUIC;
import static io.kcp.bench.experiment.Peer.TCP;
import static io.kcp.bench.experiment.Peer.UDP;
import static io.kcp.bench.experiment.Target.atLeast;
import static io.kcp.bench.experiment.Target.atMost;

import io.kcp.bench.experiment.Scenario.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Defines all benchmark scenarios with their contenders and targets. */
final class Scenarios {

    /** Name that selects all pinned scenarios. */
    static final String PINNED = "pinned";

    private static final String[] JVM = {KCP_NETTY, JAVA_KCP};
    private static final List<Metric> THROUGHPUT = List.of(MB_S, CPU_MS_MB, GARBAGE_BYTES_DATAGRAM);
    private static final List<Metric> DELAY =
        List.of(SERVER_CPU_MS_S, P50_US, Metric.P90_US, P99_US, Metric.P999_US, Metric.MAX_US, Metric.LOST);
    private static final List<String> BLOCKS = List.of("--write-bytes", "16384");
    private static final List<String> SMALL = List.of("--write-bytes", "64");
    private static final String[] NO_OFFLOAD = {"--gso", "off", "--gro", "off"};
    private static final List<Contender> KCP_PEERS = contenders(OURS, KCP_GO, KCP_NETTY, JAVA_KCP);
    private static final List<Contender> ALL_PEERS = contenders(OURS, KCP_GO, KCP_NETTY, JAVA_KCP, TCP, QUIC, UDP);
    /**
     * Windows of the other KCP implementations in throughput scenarios, of which the better one counts. kcp-netty and java-Kcp acknowledge
     * every 10 ms, so a window of 1,024 would limit them to that many segments in 10 ms.
     */
    private static final List<String> WINDOWS = List.of("1024", "4096");

    private Scenarios() {
    }

    /** Returns all scenarios in their order of execution. */
    static List<Scenario> all() {
        return Stream.of(throughput(), layers(), echoAndSmall(), roundTrips(), fleets(), sessions(), packets(), PinnedScenarios.all())
            .flatMap(List::stream).toList();
    }

    /** Returns the scenarios with the given names in their order of execution. An unknown name is a usage error of the command. */
    static List<Scenario> named(List<String> names, CommandLine command) {
        List<Scenario> all = all();
        List<String> known = all.stream().map(Scenario::name).toList();
        for (String name : names) {
            if (!known.contains(name) && !name.equals(PINNED)) {
                throw new ParameterException(command, "--scenarios: " + name + " (expected: " + String.join(", ", known) + ", or "
                    + PINNED + " for all scenarios whose names begin with it)");
            }
        }
        return all.stream().filter(scenario -> names.contains(scenario.name()) || scenario.pinned() && names.contains(PINNED)).toList();
    }

    private static List<Scenario> throughput() {
        Contender udpWithGso = Contender.of(UDP, "gso", "--gso").withClient("--write-bytes", "64400");
        return List.of(
            new Scenario("one-way", "One way, writes of 16 KB", Work.SOURCE, BLOCKS, THROUGHPUT, and(withWindows(ALL_PEERS), udpWithGso),
                atLeast(4, MB_S, KCP_GO), atLeast(8, MB_S, JVM), atMost(0.3, CPU_MS_MB, KCP_GO), atMost(0.25, CPU_MS_MB, JVM),
                atMost(64, GARBAGE_BYTES_DATAGRAM)),
            new Scenario("one-way-plain", "One way, GSO and GRO switched off", Work.SOURCE, BLOCKS, THROUGHPUT,
                with(Contender.ours("", NO_OFFLOAD), withWindows(KCP_PEERS)),
                atLeast(1.3, MB_S, KCP_GO), atLeast(3, MB_S, JVM), atMost(200, GARBAGE_BYTES_DATAGRAM)),
            new Scenario("connections-8", "One way, 8 connections", Work.SOURCE, List.of("--write-bytes", "16384", "--connections", "8"),
                THROUGHPUT, withWindows(contenders(OURS, KCP_GO, KCP_NETTY, JAVA_KCP, TCP)),
                atLeast(3, MB_S, KCP_GO), atLeast(6, MB_S, JVM)),
            new Scenario("window-4096", "One way, window of 4,096 compared with our window of 1,024", Work.SOURCE, BLOCKS,
                List.of(MB_S, CPU_MS_MB, SPURIOUS),
                List.of(Contender.ours("window 4096", "--window", "4096"), Contender.ours("window 1024", "--window", "1024")),
                atLeast(1, MB_S, "ours window 1024").of("ours window 4096"), atMost(0, SPURIOUS).of("ours window 4096")));
    }

    private static List<Scenario> layers() {
        return List.of(layer("aes-128", "One way, AES-128", new Layers("aes-128", null), 2.5),
            layer("aes-128-gcm", "One way, AES-128-GCM", new Layers("aes-128-gcm", null), 2.5),
            layer("salsa20", "One way, Salsa20", new Layers("salsa20", null), 1.3),
            layer("aes-128-fec", "One way, AES-128 and FEC 10+3", new Layers("aes-128", "10:3"), 2.5));
    }

    private static Scenario layer(String name, String title, Layers layers, double wanted) {
        return new Scenario(name, title, Work.SOURCE, BLOCKS, THROUGHPUT, withWindows(contenders(OURS, KCP_GO)),
            atLeast(wanted, MB_S, KCP_GO))
            .withLayers(layers);
    }

    private static List<Scenario> echoAndSmall() {
        return List.of(
            new Scenario("echo", "Echo, pipelined", Work.ECHO, BLOCKS, THROUGHPUT, withWindows(ALL_PEERS),
                atLeast(4, MB_S, KCP_GO), atLeast(9, MB_S, JVM)),
            new Scenario("echo-blocking", "Echo, pipelined, blocking sockets compared with channels", Work.ECHO, BLOCKS, THROUGHPUT,
                List.of(Contender.ours("channels"), Contender.ours("blocking sockets", "--blocking")),
                atLeast(0.5, MB_S, "ours channels").of("ours blocking sockets")),
            new Scenario("small", "Messages of 64 bytes, one way", Work.SOURCE, SMALL,
                List.of(MESSAGES_S, CPU_US_MESSAGE, GARBAGE_BYTES_DATAGRAM), withWindows(ALL_PEERS),
                atLeast(8, MESSAGES_S, KCP_GO), atLeast(15, MESSAGES_S, JVM), atMost(1, CPU_US_MESSAGE)).withMessages());
    }

    private static List<Scenario> roundTrips() {
        List<Metric> metrics = List.of(MEDIAN_US, P99_US, Metric.CPU_US_ROUND_TRIP);
        return List.of(
            new Scenario("ping-pong", "Ping-pong of 64 bytes", Work.PINGPONG, SMALL, metrics, ALL_PEERS,
                atMost(0.35, MEDIAN_US, KCP_GO), atMost(0.95, MEDIAN_US, JVM)),
            new Scenario("ping-pong-spin", "Ping-pong of 64 bytes, ours busy-polling", Work.PINGPONG, SMALL, metrics,
                with(Contender.ours("", "--spin"), KCP_PEERS), atMost(0.17, MEDIAN_US, KCP_GO), atMost(0.45, MEDIAN_US, JVM)));
    }

    private static List<Scenario> fleets() {
        return List.of(
            new Scenario("fleet-5000", "5,000 sessions, each one message per second", Work.FLEET, fleet(5_000, 1, 0), DELAY, KCP_PEERS,
                atMost(0.08, SERVER_CPU_MS_S, KCP_GO), atMost(0.2, P99_US, KCP_GO), atMost(0.25, SERVER_CPU_MS_S, JVM),
                atMost(0.7, P99_US, JVM)),
            new Scenario("fleet-2000", "2,000 sessions, each ten messages per second", Work.FLEET, fleet(2_000, 10, 0), DELAY, KCP_PEERS,
                atMost(0.2, SERVER_CPU_MS_S, KCP_GO), atMost(0.1, P99_US, KCP_GO), atMost(0.45, SERVER_CPU_MS_S, JVM),
                atMost(0.7, P99_US, JVM)),
            new Scenario("fleet-flat", "10,000 messages per second from 10,000 sessions and from 10, GSO and GRO switched off", Work.FLEET,
                SMALL, List.of(CPU_US_MESSAGE, P50_US, P99_US),
                List.of(Contender.ours("10000 sessions", NO_OFFLOAD).withClient("--sessions", "10000", "--rate", "1"),
                    Contender.ours("10 sessions", NO_OFFLOAD).withClient("--sessions", "10", "--rate", "1000")),
                atMost(3, CPU_US_MESSAGE, "ours 10 sessions").of("ours 10000 sessions")),
            new Scenario("fleet-100000", "100,000 sessions in 1 GB of heap, 1,000 of them send 20 messages per second", Work.FLEET,
                fleet(1_000, 20, 99_000), DELAY,
                List.of(Contender.ours("", "--keepalive-ms", "0", "--idle-timeout-ms", "0").withClient("--sockets", "64")
                    .withJvm("-Xmx1g")),
                atMost(2_000, P99_US)));
    }

    private static List<Scenario> sessions() {
        String off = "metrics off";
        String on = "scraped each second";
        List<Contender> metricsOffAndOn = List.of(Contender.ours(off), Contender.ours(on).withServer("--metrics"));
        return List.of(
            new Scenario("idle", "5,000 idle sessions; memory from 5,000 to 50,000 sessions", Work.IDLE, List.of(),
                List.of(SERVER_CPU_MS_S, BYTES_SESSION, Metric.DIRECT_BYTES_SESSION, Metric.RESIDENT_BYTES_SESSION, Metric.SESSIONS),
                KCP_PEERS, atMost(0.005, SERVER_CPU_MS_S, KCP_GO), atMost(0.04, BYTES_SESSION, KCP_GO), atMost(0.02, SERVER_CPU_MS_S, JVM),
                atMost(0.6, BYTES_SESSION, JVM), atMost(4_096, BYTES_SESSION)),
            new Scenario("metrics", "One way, all meters scraped each second", Work.SOURCE, BLOCKS, THROUGHPUT, metricsOffAndOn,
                atLeast(0.98, MB_S, "ours " + off).of("ours " + on)),
            new Scenario("metrics-fleet", "5,000 sessions, each one message per second, all meters scraped each second", Work.FLEET,
                fleet(5_000, 1, 0), DELAY, metricsOffAndOn),
            new Scenario("churn", "Open, one round trip, close; 64 sessions at a time", Work.CHURN, List.of("--sessions", "64"),
                List.of(Metric.SESSIONS_S, P50_US, P99_US), KCP_PEERS));
    }

    private static List<Scenario> packets() {
        List<Metric> metrics = List.of(MESSAGES_S, CPU_US_MESSAGE, P50_US, P99_US);
        List<String> connections = List.of("--connections", "1000", "--max-payload-bytes", "2048");
        return List.of(
            new Scenario("packets-tcp", "Packets over TCP, echo on 1,000 connections", Work.PACKETS, connections, metrics,
                List.of(Contender.ours("", "--protocol", "tcp"),
                    goPackets("", "--protocol", "tcp"), goPackets("lean", "--protocol", "tcp", "--lean"),
                    Contender.ours("no delay", "--protocol", "tcp", "--flush-delay-us", "0")),
                atLeast(2, MESSAGES_S, KCP_GO)),
            new Scenario("packets-kcp", "Packets over KCP, echo on 1,000 sessions", Work.PACKETS, connections, metrics,
                List.of(Contender.of(OURS), Contender.of(KCP_GO), goPackets("lean", "--lean"),
                    Contender.ours("no delay", "--flush-delay-us", "0")),
                atLeast(1.5, MESSAGES_S, KCP_GO)));
    }

    private static Contender goPackets(String settings, String... options) {
        return Contender.of(KCP_GO, settings, options);
    }

    static List<String> fleet(int sessions, int rate, int idleSessions) {
        List<String> options = new ArrayList<>(List.of("--write-bytes", "64", "--sessions", Integer.toString(sessions), "--rate",
            Integer.toString(rate)));
        if (idleSessions > 0) {
            options.addAll(List.of("--idle-sessions", Integer.toString(idleSessions)));
        }
        return options;
    }

    private static List<Contender> contenders(String... peers) {
        return Stream.of(peers).map(Contender::of).toList();
    }

    /** Returns a copy of the list in which each other KCP implementation runs with each of the {@link #WINDOWS}. */
    private static List<Contender> withWindows(List<Contender> contenders) {
        return contenders.stream().flatMap(contender -> switch (contender.peer()) {
            case KCP_GO -> WINDOWS.stream().map(window ->
                Contender.of(contender.peer(), "window " + window, "--sndwnd", window, "--rcvwnd", window));
            case KCP_NETTY, JAVA_KCP -> WINDOWS.stream().map(window ->
                Contender.of(contender.peer(), "window " + window, "--window", window));
            default -> Stream.of(contender);
        }).toList();
    }

    private static List<Contender> and(List<Contender> contenders, Contender last) {
        return Stream.concat(contenders.stream(), Stream.of(last)).toList();
    }

    /** Returns a copy of the list in which {@code first} replaces the first contender. */
    private static List<Contender> with(Contender first, List<Contender> contenders) {
        return Stream.concat(Stream.of(first), contenders.stream().skip(1)).toList();
    }
}
