package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.Json;
import io.kcp.bench.attack.AttackGenerator;
import io.kcp.bench.attack.AttackKind;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Runs one attack against Netty's QUIC. A client process of the same program measures the legitimate sessions before the attack, another
 * one during the attack, and a third one after it. The first datagram of a connection is recorded, and the attacker sends it from forged
 * addresses, either unchanged or with another connection id.
 */
record QuicAttackRun(AttackTarget target, AttackKind attack, AttackOptions options, RunOptions run) {

    private static final int TIMEOUT_SECONDS = 60;
    private static final int DATAGRAM_BYTES = 2_048;
    private static final double WARMUP_SECONDS = 1;
    private static final int FIRST_SESSIONS = 50;
    private static final double US_PER_MS = 1e3;

    /** Messages and delays of the legitimate clients in one period. */
    private record Part(double lost, double p50Ms, double p99Ms) {
    }

    Map<Metric, Double> measure() throws InterruptedException, IOException {
        try (ChildProcess server = ChildProcess.start("quic server", target.command(attack, options));
            MemoryWatch memory = new MemoryWatch(server, options.maxServerBytes())) {
            int port = server.await("ready", TIMEOUT_SECONDS).path("port").asInt();
            byte[] initial = recordInitial();
            InetSocketAddress address = new InetSocketAddress(AttackTarget.HOST, port);
            try (AttackGenerator rehearsal = generator(address, initial)) {
                rehearsal.run(options.rehearsalSeconds);
            }
            Part quiet;
            try (ChildProcess client = fleet(port, options.quietSeconds)) {
                quiet = result(client, options.quietSeconds);
            }
            memory.start();
            JsonNode before = server.ask("mark", TIMEOUT_SECONDS);
            long startNs = System.nanoTime();
            Map<Metric, Double> values = new EnumMap<>(Metric.class);
            try (AttackGenerator generator = generator(address, initial)) {
                generator.prepare();
                Part under = underAttack(port, generator, values);
                double seconds = (System.nanoTime() - startNs) / 1e9;
                JsonNode after = server.ask("mark", TIMEOUT_SECONDS);
                AttackGenerator.Counts counts = generator.finish();
                Part afterwards;
                try (ChildProcess client = fleet(port, options.recoverySeconds)) {
                    afterwards = result(client, options.recoverySeconds);
                }
                memory.requireAlive();
                values.put(Metric.LOST, quiet.lost + under.lost + afterwards.lost);
                values.put(Metric.QUIET_P50_MS, quiet.p50Ms);
                values.put(Metric.QUIET_P99_MS, quiet.p99Ms);
                values.put(Metric.P50_MS, under.p50Ms);
                values.put(Metric.P99_MS, under.p99Ms);
                values.put(Metric.NEWCOMERS, (double) options.newcomers);
                values.put(Metric.RSS_GROWTH_MB, memory.growthMb());
                values.put(Metric.REFLECTION, counts.reflection());
                values.put(Metric.WORST_REFLECTION, counts.worstReflection());
                if (afterwards.p99Ms <= Attack.maxP99Ms(quiet.p99Ms)) {
                    values.put(Metric.RECOVERY_S, WARMUP_SECONDS);
                }
                values.put(Metric.ATTACK_DATAGRAMS_S, counts.sent() / run.seconds);
                values.put(Metric.SERVER_CPU, Json.difference(before, after, "cpu_ms") / 1e3 / seconds);
                values.values().removeIf(value -> !Double.isFinite(value));
                return values;
            }
        }
    }

    private AttackGenerator generator(InetSocketAddress address, byte[] initial) throws IOException {
        return AttackGenerator.ofQuic(attack, address, options.sources, options.rateFactor, options.samePriority, initial);
    }

    private ChildProcess client(String work, int port, Object... more) {
        List<String> options = new ArrayList<>(List.of("--connect", Integer.toString(port), "--work", work, "--write-bytes", "64"));
        Arrays.stream(more).map(Object::toString).forEach(options::add);
        return ChildProcess.start("quic client", target.peer().command(Peer.CLIENT, target.contender(), Layers.NONE, options));
    }

    /** Makes a client connect to a socket that does not respond, and returns the first datagram of the client. */
    private byte[] recordInitial() throws IOException, InterruptedException {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(AttackTarget.HOST, 0));
            ChildProcess client = client("idle", socket.getLocalPort())) {
            client.send("open 1");
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
            socket.receive(packet);
            return Arrays.copyOf(packet.getData(), packet.getLength());
        }
    }

    /** Starts the legitimate sessions, and waits until their measurement begins. */
    private ChildProcess fleet(int port, double seconds) throws InterruptedException {
        ChildProcess client = client("fleet", port, "--sessions", options.sessions, "--rate", (int) options.rate, "--seconds", seconds,
            "--warmup", WARMUP_SECONDS);
        try {
            client.await("measuring", TIMEOUT_SECONDS);
            return client;
        } catch (IllegalStateException failure) {
            client.close();
            throw failure;
        }
    }

    private static Part result(ChildProcess fleet, double seconds) throws InterruptedException {
        JsonNode result = fleet.await("result", TIMEOUT_SECONDS + (long) seconds);
        return new Part(Json.number(result, "sent") - Json.number(result, "received"), Json.number(result, "p50_us") / US_PER_MS,
            Json.number(result, "p99_us") / US_PER_MS);
    }

    /** Measures the legitimate sessions during the attack, and the time until all new sessions have made a round trip. */
    private Part underAttack(int port, AttackGenerator generator, Map<Metric, Double> values) throws InterruptedException {
        try (ChildProcess newcomers = client("idle", port)) {
            // The first sessions are not measured, because they also load classes and start the JIT compiler.
            newcomers.send("open " + FIRST_SESSIONS);
            newcomers.await("opened", TIMEOUT_SECONDS);
            try (ChildProcess fleet = fleet(port, run.seconds)) {
                generator.start(run.seconds);
                long startNs = System.nanoTime();
                newcomers.send("open " + (FIRST_SESSIONS + options.newcomers));
                try {
                    newcomers.await("opened", TIMEOUT_SECONDS);
                    values.put(Metric.OPENING_P95_MS, (System.nanoTime() - startNs) / 1e6);
                    values.put(Metric.OPENED, (double) options.newcomers);
                } catch (IllegalStateException notOpened) {
                    values.put(Metric.OPENED, 0.0);
                }
                return result(fleet, run.seconds);
            }
        }
    }
}
