package io.kcp.bench;

import static io.kcp.bench.Metric.BYTES_SESSION;
import static io.kcp.bench.Metric.CPU_MS_MB;
import static io.kcp.bench.Metric.CPU_US_MESSAGE;
import static io.kcp.bench.Metric.CPU_US_ROUND_TRIP;
import static io.kcp.bench.Metric.DIRECT_BYTES_SESSION;
import static io.kcp.bench.Metric.GARBAGE_BYTES_DATAGRAM;
import static io.kcp.bench.Metric.LOST;
import static io.kcp.bench.Metric.MAX_US;
import static io.kcp.bench.Metric.MB_S;
import static io.kcp.bench.Metric.MEDIAN_US;
import static io.kcp.bench.Metric.MESSAGES_S;
import static io.kcp.bench.Metric.P50_US;
import static io.kcp.bench.Metric.P90_US;
import static io.kcp.bench.Metric.P999_US;
import static io.kcp.bench.Metric.P99_US;
import static io.kcp.bench.Metric.RESIDENT_BYTES_SESSION;
import static io.kcp.bench.Metric.SERVER_CPU_MS_S;
import static io.kcp.bench.Metric.SESSIONS;
import static io.kcp.bench.Metric.SESSIONS_S;
import static io.kcp.bench.Metric.SPURIOUS;

import io.kcp.bench.LoadClient.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What is compared, and what is to be reached. */
final class Scenarios {

    static final String OURS = "ours";
    static final String KCP_GO = "kcp-go";
    static final String KCP_NETTY = "kcp-netty";
    static final String JAVA_KCP = "java-kcp";
    static final String TCP = "tcp";
    static final String QUIC = "quic";
    static final String UDP = "udp";

    private static final String[] JVM = {KCP_NETTY, JAVA_KCP};
    private static final List<Metric> THROUGHPUT = List.of(MB_S, CPU_MS_MB, GARBAGE_BYTES_DATAGRAM);
    private static final List<Metric> DELAY = List.of(SERVER_CPU_MS_S, P50_US, P90_US, P99_US, P999_US, MAX_US, LOST);
    private static final List<String> BLOCKS = List.of("--write-bytes", "16384");
    private static final String[] PLAIN = {"--gso", "off", "--gro", "off"};

    private Scenarios() {
    }

    /** Everything, in the order in which it is run. */
    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        throughput(all);
        layers(all);
        all.add(new Scenario("echo", "Echo, pipelined", Work.ECHO, BLOCKS, false, new WireLayers(), THROUGHPUT,
            peers(KCP_GO, KCP_NETTY, JAVA_KCP, TCP, QUIC, UDP), List.of(Target.atLeast(4, MB_S, KCP_GO), Target.atLeast(9, MB_S, JVM))));
        all.add(new Scenario("small", "Messages of 64 bytes, one way", Work.SOURCE, List.of("--write-bytes", "64"), true,
            new WireLayers(), List.of(MESSAGES_S, CPU_US_MESSAGE, GARBAGE_BYTES_DATAGRAM),
            peers(KCP_GO, KCP_NETTY, JAVA_KCP, TCP, QUIC, UDP),
            List.of(Target.atLeast(8, MESSAGES_S, KCP_GO), Target.atLeast(15, MESSAGES_S, JVM), Target.atMost(1, CPU_US_MESSAGE))));
        roundTrips(all);
        fleets(all);
        idle(all);
        metrics(all);
        all.add(new Scenario("churn", "Open, one round trip, close; 64 at a time", Work.CHURN, List.of("--sessions", "64"), true,
            new WireLayers(), List.of(SESSIONS_S, P50_US, P99_US), peers(KCP_GO, KCP_NETTY, JAVA_KCP), List.of()));
        return List.copyOf(all);
    }

    /** Returns the scenarios of these names in their usual order; an unknown name is a usage error of the command. */
    static List<Scenario> named(List<String> names, CommandLine command) {
        List<Scenario> all = all();
        List<String> known = all.stream().map(Scenario::name).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new ParameterException(command, "--scenarios: " + name + " (expected: " + String.join(", ", known) + ')');
            }
        }
        return all.stream().filter(scenario -> names.contains(scenario.name())).toList();
    }

    private static void throughput(List<Scenario> all) {
        List<Contender> everybody = new ArrayList<>(peers(KCP_GO, KCP_NETTY, JAVA_KCP, TCP, QUIC, UDP));
        everybody.add(new Contender("udp with GSO", UDP, List.of("--gso"), List.of(), List.of("--write-bytes", "64400"),
            List.of()));
        all.add(new Scenario("one-way", "One way, writes of 16 KB", Work.SOURCE, BLOCKS, false, new WireLayers(), THROUGHPUT, everybody,
            List.of(Target.atLeast(4, MB_S, KCP_GO), Target.atLeast(8, MB_S, JVM), Target.atMost(0.3, CPU_MS_MB, KCP_GO),
                Target.atMost(0.25, CPU_MS_MB, JVM), Target.atMost(64, GARBAGE_BYTES_DATAGRAM))));
        all.add(new Scenario("one-way-plain", "One way, GSO and GRO switched off", Work.SOURCE, BLOCKS, false, new WireLayers(),
            THROUGHPUT, withOurs(Contender.ours(OURS, PLAIN), KCP_GO, KCP_NETTY, JAVA_KCP),
            List.of(Target.atLeast(1.3, MB_S, KCP_GO), Target.atLeast(3, MB_S, JVM), Target.atMost(200, GARBAGE_BYTES_DATAGRAM))));
        all.add(new Scenario("connections-8", "One way, 8 connections", Work.SOURCE,
            List.of("--write-bytes", "16384", "--connections", "8"), false, new WireLayers(), THROUGHPUT,
            peers(KCP_GO, KCP_NETTY, JAVA_KCP, TCP), List.of(Target.atLeast(3, MB_S, KCP_GO), Target.atLeast(6, MB_S, JVM))));
        all.add(new Scenario("window-4096", "One way, window of 4,096 against our own of 1,024", Work.SOURCE, BLOCKS, false,
            new WireLayers(), List.of(MB_S, CPU_MS_MB, SPURIOUS),
            List.of(Contender.ours("window 4096", "--window", "4096"), Contender.ours("window 1024", "--window", "1024")),
            List.of(Target.atLeast(1, MB_S, "window 1024").of("window 4096"), Target.atMost(0, SPURIOUS).of("window 4096"))));
    }

    private static void layers(List<Scenario> all) {
        all.add(layer("aes-128", "One way, AES-128", WireLayers.of("aes-128", null), 2.5));
        all.add(layer("aes-128-gcm", "One way, AES-128-GCM", WireLayers.of("aes-128-gcm", null), 2.5));
        all.add(layer("salsa20", "One way, Salsa20", WireLayers.of("salsa20", null), 1.3));
        all.add(layer("aes-128-fec", "One way, AES-128 and FEC 10+3", WireLayers.of("aes-128", "10:3"), 2.5));
    }

    private static Scenario layer(String name, String title, WireLayers layers, double wanted) {
        return new Scenario(name, title, Work.SOURCE, BLOCKS, false, layers, THROUGHPUT, peers(KCP_GO),
            List.of(Target.atLeast(wanted, MB_S, KCP_GO)));
    }

    private static void roundTrips(List<Scenario> all) {
        List<Metric> metrics = List.of(MEDIAN_US, P99_US, CPU_US_ROUND_TRIP);
        List<String> options = List.of("--write-bytes", "64");
        all.add(new Scenario("ping-pong", "Ping-pong of 64 bytes", Work.PINGPONG, options, true, new WireLayers(), metrics,
            peers(KCP_GO, KCP_NETTY, JAVA_KCP, TCP, QUIC, UDP),
            List.of(Target.atMost(0.35, MEDIAN_US, KCP_GO), Target.atMost(0.95, MEDIAN_US, JVM))));
        all.add(new Scenario("ping-pong-spin", "Ping-pong of 64 bytes, ours with the spin option", Work.PINGPONG, options, true,
            new WireLayers(), metrics, withOurs(Contender.ours(OURS, "--spin"), KCP_GO, KCP_NETTY, JAVA_KCP),
            List.of(Target.atMost(0.17, MEDIAN_US, KCP_GO), Target.atMost(0.45, MEDIAN_US, JVM))));
    }

    private static void fleets(List<Scenario> all) {
        all.add(new Scenario("fleet-5000", "5,000 sessions, a message a second each", Work.FLEET, fleet(5_000, 1, 0), true,
            new WireLayers(), DELAY, peers(KCP_GO, KCP_NETTY, JAVA_KCP),
            List.of(Target.atMost(0.08, SERVER_CPU_MS_S, KCP_GO), Target.atMost(0.2, P99_US, KCP_GO),
                Target.atMost(0.25, SERVER_CPU_MS_S, JVM), Target.atMost(0.7, P99_US, JVM))));
        all.add(new Scenario("fleet-2000", "2,000 sessions, ten messages a second each", Work.FLEET, fleet(2_000, 10, 0), true,
            new WireLayers(), DELAY, peers(KCP_GO, KCP_NETTY, JAVA_KCP),
            List.of(Target.atMost(0.2, SERVER_CPU_MS_S, KCP_GO), Target.atMost(0.1, P99_US, KCP_GO),
                Target.atMost(0.45, SERVER_CPU_MS_S, JVM), Target.atMost(0.7, P99_US, JVM))));
        all.add(new Scenario("fleet-flat", "10,000 messages a second of 10,000 sessions and of 10, GSO and GRO switched off", Work.FLEET,
            List.of("--write-bytes", "64"), true, new WireLayers(), List.of(CPU_US_MESSAGE, P50_US, P99_US),
            List.of(Contender.ours("10,000 sessions", PLAIN).withClient("--sessions", "10000", "--rate", "1"),
                Contender.ours("10 sessions", PLAIN).withClient("--sessions", "10", "--rate", "1000")),
            List.of(Target.atMost(3, CPU_US_MESSAGE, "10 sessions").of("10,000 sessions"))));
        all.add(new Scenario("fleet-100000", "100,000 sessions in 1 GB of heap, 1,000 of them send 20 messages a second", Work.FLEET,
            fleet(1_000, 20, 99_000), true, new WireLayers(), DELAY,
            List.of(Contender.ours(OURS, "--keepalive-ms", "0", "--idle-timeout-ms", "0").withClient("--sockets", "64").withJvm("-Xmx1g")),
            List.of(Target.atMost(2_000, P99_US))));
    }

    private static void idle(List<Scenario> all) {
        all.add(new Scenario("idle", "5,000 idle sessions; memory from 5,000 to 50,000", Work.IDLE, List.of(), true, new WireLayers(),
            List.of(SERVER_CPU_MS_S, BYTES_SESSION, DIRECT_BYTES_SESSION, RESIDENT_BYTES_SESSION, SESSIONS),
            peers(KCP_GO, KCP_NETTY, JAVA_KCP),
            List.of(Target.atMost(0.005, SERVER_CPU_MS_S, KCP_GO), Target.atMost(0.04, BYTES_SESSION, KCP_GO),
                Target.atMost(0.02, SERVER_CPU_MS_S, JVM), Target.atMost(0.6, BYTES_SESSION, JVM),
                Target.atMost(4_096, BYTES_SESSION))));
    }

    private static void metrics(List<Scenario> all) {
        String off = "metrics off";
        String on = "scraped each second";
        List<Contender> both = List.of(Contender.ours(off), Contender.ours(on).withServer("--metrics"));
        all.add(new Scenario("metrics", "One way, all meters scraped each second", Work.SOURCE, BLOCKS, false, new WireLayers(), THROUGHPUT,
            both, List.of(Target.atLeast(0.98, MB_S, off).of(on))));
        all.add(new Scenario("metrics-fleet", "5,000 sessions, a message a second each, all meters scraped each second", Work.FLEET,
            fleet(5_000, 1, 0), true, new WireLayers(), DELAY, both, List.of()));
    }

    private static List<String> fleet(int sessions, int rate, int idleSessions) {
        List<String> options = new ArrayList<>(List.of("--write-bytes", "64", "--sessions", Integer.toString(sessions), "--rate",
            Integer.toString(rate)));
        if (idleSessions > 0) {
            options.addAll(List.of("--idle-sessions", Integer.toString(idleSessions)));
        }
        return options;
    }

    private static List<Contender> peers(String... others) {
        return withOurs(Contender.of(OURS), others);
    }

    private static List<Contender> withOurs(Contender ours, String... others) {
        List<Contender> contenders = new ArrayList<>(List.of(ours));
        Arrays.stream(others).map(Contender::of).forEach(contenders::add);
        return contenders;
    }
}
