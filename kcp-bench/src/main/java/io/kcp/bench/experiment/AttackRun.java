package io.kcp.bench.experiment;

import static io.kcp.bench.experiment.EchoClients.sleep;
import static io.kcp.bench.experiment.EchoClients.sleepUntil;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.Json;
import io.kcp.bench.attack.AttackGenerator;
import io.kcp.bench.attack.AttackKind;
import io.kcp.bench.attack.AttackVictims;
import io.kcp.netty.KcpChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs one attack against one server, and measures legitimate sessions before, during and after the attack. */
record AttackRun(AttackTarget target, AttackKind attack, AttackOptions options, RunOptions run) {

    private static final int READY_SECONDS = 30;
    private static final int RESPONSE_SECONDS = 30;
    private static final long STRAGGLERS_NS = TimeUnit.SECONDS.toNanos(12);
    private static final long POLL_INTERVAL_MS = 100;
    private static final int EXIT_SECONDS = 3;
    /** Networks 127.x.0.0/16 of the legitimate clients. */
    private static final int CLIENT_NETWORK = 32;
    private static final int NEWCOMER_NETWORK = 33;
    private static final int HOSTS_PER_NETWORK = 250;
    /**
     * Share of the attack's duration in which new sessions are opened, so that the last session can make a round trip before the attack
     * ends.
     */
    private static final double OPENING_SHARE = 0.8;
    private static final double OPENING_QUANTILE = 0.95;

    Map<Metric, Double> measure() throws InterruptedException, IOException {
        try (ChildProcess server = ChildProcess.start(target.contender().name() + " server", target.command(attack, options))) {
            String port = server.await("ready", READY_SECONDS).path("port").asString();
            Map<Metric, Double> values = measure(server, new InetSocketAddress(AttackTarget.HOST, Integer.parseInt(port)));
            server.end(EXIT_SECONDS);
            values.values().removeIf(value -> !Double.isFinite(value));
            return values;
        }
    }

    private Map<Metric, Double> measure(ChildProcess server, InetSocketAddress address) throws InterruptedException, IOException {
        try (EchoClients clients = new EchoClients(AttackTarget.layers(attack), false, address, target.onlyConv());
            MemoryWatch memory = new MemoryWatch(server, options.maxServerBytes())) {
            clients.open(options.sessions, index -> address(CLIENT_NETWORK, index));
            AttackVictims victims = new AttackVictims(
                clients.channels().stream().map(channel -> (InetSocketAddress) channel.parent().localAddress()).toList(),
                clients.channels().stream().map(KcpChannel::conv).toList());
            DelayTimeline timeline = clients.start(options.rate * options.sessions);
            try (AttackGenerator rehearsal = generator(address, victims)) {
                rehearsal.run(options.rehearsalSeconds);
            }
            try (AttackGenerator generator = generator(address, victims)) {
                generator.prepare();
                sleep(run.warmupSeconds);
                long quietNs = System.nanoTime();
                sleep(options.quietSeconds);
                JsonNode before = server.ask("mark", RESPONSE_SECONDS);
                memory.start();
                long startNs = System.nanoTime();
                generator.start(run.seconds);
                Newcomers newcomers = new Newcomers(clients, options.newcomers, index -> address(NEWCOMER_NETWORK, index));
                newcomers.open(OPENING_SHARE * run.seconds);
                sleepUntil(startNs + (long) (run.seconds * 1e9));
                long endNs = System.nanoTime();
                JsonNode after = mark(server);
                sleepUntil(endNs + (long) (options.recoverySeconds * 1e9));
                long untilNs = System.nanoTime();
                while (server.isAlive() && !(timeline.hasAllUntil(untilNs) && newcomers.opened() == options.newcomers)
                    && System.nanoTime() - untilNs < STRAGGLERS_NS) {
                    TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL_MS);
                }
                AttackGenerator.Counts counts = generator.finish();
                memory.requireAlive();
                DelayTimeline.Part quiet = timeline.part(quietNs, startNs);
                DelayTimeline.Part under = timeline.part(startNs, endNs);
                double seconds = (endNs - startNs) / 1e9;
                Map<Metric, Double> values = new EnumMap<>(Metric.class);
                values.put(Metric.LOST, (double) timeline.part(quietNs, untilNs).lost());
                values.put(Metric.DUPLICATES, (double) timeline.duplicates());
                values.put(Metric.CLOSED_SESSIONS, (double) clients.closedSessions());
                values.put(Metric.QUIET_P50_MS, quiet.p50Ms());
                values.put(Metric.QUIET_P99_MS, quiet.p99Ms());
                values.put(Metric.P50_MS, under.p50Ms());
                values.put(Metric.P99_MS, under.p99Ms());
                values.put(Metric.NEWCOMERS, (double) options.newcomers);
                values.put(Metric.OPENED, (double) newcomers.opened());
                values.put(Metric.OPENING_P95_MS, newcomers.openingMs(OPENING_QUANTILE));
                values.put(Metric.RSS_GROWTH_MB, memory.growthMb());
                values.put(Metric.PEAK_SESSIONS, target.peakSessions(stats(server)));
                values.put(Metric.MAX_SESSIONS, target.peer().isOurs() ? (double) options.maxSessions : Double.NaN);
                values.put(Metric.REFLECTION, counts.reflection());
                values.put(Metric.WORST_REFLECTION, counts.worstReflection());
                values.put(Metric.RECOVERY_S, timeline.recoverySeconds(endNs, untilNs, Attack.maxP99Ms(quiet.p99Ms())));
                values.put(Metric.ATTACK_DATAGRAMS_S, counts.sent() / seconds);
                values.put(Metric.SERVER_CPU, after == null ? Double.NaN : Json.difference(before, after, "cpu_ms") / 1e3 / seconds);
                return values;
            }
        }
    }

    private AttackGenerator generator(InetSocketAddress address, AttackVictims victims) throws IOException {
        return AttackGenerator.ofKcp(attack, address, options.sources, options.rateFactor, options.samePriority,
            EchoClients.crypto(AttackTarget.layers(attack)), target.onlyConv(), victims);
    }

    private static InetSocketAddress address(int network, int index) {
        return new InetSocketAddress("127." + network + '.' + index / HOSTS_PER_NETWORK + '.' + (1 + index % HOSTS_PER_NETWORK), 0);
    }

    /** Returns the counters of the server, or null if the server has exited because of the attack. */
    private static @Nullable JsonNode mark(ChildProcess server) throws InterruptedException {
        try {
            return server.ask("mark", RESPONSE_SECONDS);
        } catch (IllegalStateException ended) {
            return null;
        }
    }

    private @Nullable JsonNode stats(ChildProcess server) throws InterruptedException {
        String command = target.statsCommand();
        return command == null ? null : server.ask(command, RESPONSE_SECONDS);
    }
}
