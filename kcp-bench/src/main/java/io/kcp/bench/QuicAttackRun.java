package io.kcp.bench;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Runs one attack against Netty's QUIC. A client process of the same program measures the legitimate sessions before the attack, another
 * one during the attack, and a third one after it. The first datagram of a connection is recorded, and the attacker sends it from forged
 * addresses, either unchanged or with another connection id.
 */
record QuicAttackRun(AttackTarget target, AttackKind attack, AttackOptions options) {

    private static final int TIMEOUT_SECONDS = 60;
    private static final int DATAGRAM_BYTES = 2_048;
    private static final double WARMUP_SECONDS = 1;
    private static final int FIRST_SESSIONS = 50;
    private static final long MEMORY_INTERVAL_MS = 50;
    private static final double US_PER_MS = 1e3;
    private static final double BYTES_PER_MB = 1e6;

    /** Messages and delays of the legitimate clients in one period. */
    private record Part(int sent, int lost, double p50Ms, double p99Ms) {
    }

    AttackResult run() throws InterruptedException {
        ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
        AtomicLong peakBytes = new AtomicLong();
        try (ChildProcess server = ChildProcess.start("quic server", target.command(attack, options))) {
            int port = server.await("ready", TIMEOUT_SECONDS).path("port").asInt();
            byte[] initial = recordInitial();
            InetSocketAddress address = new InetSocketAddress(target.host(), port);
            try (AttackGenerator rehearsal = new AttackGenerator(attack, address, options, initial)) {
                rehearsal.run(options.rehearsalSeconds);
            }
            StolenTime start = StolenTime.now();
            Part quiet = fleet(port, options.quietSeconds, null);
            long rssBytes = server.residentBytes();
            watch.scheduleAtFixedRate(() -> peakBytes.accumulateAndGet(server.residentBytes(), Math::max), 0, MEMORY_INTERVAL_MS,
                TimeUnit.MILLISECONDS);
            AtomicLong openingNs = new AtomicLong(Long.MAX_VALUE);
            JsonNode before = server.ask("mark", TIMEOUT_SECONDS);
            long startNs = System.nanoTime();
            try (AttackGenerator generator = new AttackGenerator(attack, address, options, initial)) {
                generator.prepare();
                Part under = underAttack(port, generator, openingNs);
                double seconds = (System.nanoTime() - startNs) / 1e9;
                JsonNode after = server.ask("mark", TIMEOUT_SECONDS);
                AttackGenerator.Counts counts = generator.finish();
                Part afterwards = fleet(port, options.recoverySeconds, null);
                boolean opened = openingNs.get() != Long.MAX_VALUE;
                boolean normal = afterwards.p99Ms <= AttackResult.maxP99Ms(quiet.p99Ms);
                return new AttackResult(target.name(), attack, quiet.sent + under.sent + afterwards.sent,
                    quiet.lost + under.lost + afterwards.lost, 0, 0, quiet.p50Ms, quiet.p99Ms, under.p50Ms, under.p99Ms, options.newcomers,
                    opened ? options.newcomers : 0, opened ? openingNs.get() / 1e6 : Double.POSITIVE_INFINITY,
                    (peakBytes.get() - rssBytes) / BYTES_PER_MB, Double.NaN, 0, counts.reflection(), counts.worstReflection(),
                    normal ? WARMUP_SECONDS : Double.POSITIVE_INFINITY, counts.sent() / options.seconds,
                    Json.difference(before, after, "cpu_ms") / 1e3 / seconds, start.percentUntilNow(),
                    server.isAlive() ? null : "the server exited", null);
            }
        } catch (IllegalStateException | IOException failure) {
            return AttackResult.failed(target.name(), attack, 0, String.valueOf(failure.getMessage()));
        } finally {
            watch.shutdownNow();
        }
    }

    private ChildProcess client(String work, int port, Object... more) {
        List<String> options = new ArrayList<>(List.of("--connect", Integer.toString(port), "--work", work, "--write-bytes", "64"));
        Arrays.stream(more).map(Object::toString).forEach(options::add);
        return ChildProcess.start("quic client", target.peer().command("client", target.jvmOptions(), options, new WireLayers()));
    }

    /** Makes a client connect to a socket that does not respond, and returns the first datagram of the client. */
    private byte[] recordInitial() throws IOException, InterruptedException {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(target.host(), 0));
            ChildProcess client = client("idle", socket.getLocalPort())) {
            client.send("open 1");
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
            socket.receive(packet);
            return Arrays.copyOf(packet.getData(), packet.getLength());
        }
    }

    /** Measures the legitimate sessions, and runs an action when the measurement begins. */
    private Part fleet(int port, double seconds, LoadContext.@Nullable Action action) throws InterruptedException {
        try (ChildProcess client = client("fleet", port, "--sessions", options.sessions, "--rate", (int) options.rate, "--seconds", seconds,
            "--warmup", WARMUP_SECONDS)) {
            client.await("measuring", TIMEOUT_SECONDS);
            if (action != null) {
                action.run();
            }
            JsonNode result = client.await("result", TIMEOUT_SECONDS + (long) seconds);
            int sent = result.path("sent").asInt();
            return new Part(sent, sent - result.path("received").asInt(), Json.number(result, "p50_us") / US_PER_MS,
                Json.number(result, "p99_us") / US_PER_MS);
        }
    }

    /** Measures the legitimate sessions during the attack, and the time until all new sessions have made a round trip. */
    private Part underAttack(int port, AttackGenerator generator, AtomicLong openingNs) throws InterruptedException {
        try (ChildProcess newcomers = client("idle", port)) {
            // The first sessions are not measured, because they also load classes and start the JIT compiler.
            newcomers.send("open " + FIRST_SESSIONS);
            newcomers.await("opened", TIMEOUT_SECONDS);
            return fleet(port, options.seconds, () -> {
                generator.start(options.seconds);
                long startNs = System.nanoTime();
                newcomers.send("open " + (FIRST_SESSIONS + options.newcomers));
                try {
                    newcomers.await("opened", TIMEOUT_SECONDS);
                    openingNs.set(System.nanoTime() - startNs);
                } catch (IllegalStateException notOpened) {
                    openingNs.set(Long.MAX_VALUE);
                }
            });
        }
    }
}
