package io.kcp.bench;

import java.util.ArrayList;
import java.util.List;

/** Our side of the comparison: both ends are {@link KcpLoad}. Both take CPU time after the warm-up. */
final class KcpLoadRunner implements TransferRunner {

    private final List<String> jvmOptions;
    private final WireLayers layers;
    private final String seconds;
    private final String warmupSeconds;
    private final String roundTrips;
    private final int patienceSeconds;

    KcpLoadRunner(List<String> jvmOptions, WireLayers layers, int seconds, int warmupSeconds, int roundTrips) {
        this.jvmOptions = jvmOptions;
        this.layers = layers;
        this.seconds = Integer.toString(seconds);
        this.warmupSeconds = Integer.toString(warmupSeconds);
        this.roundTrips = Integer.toString(roundTrips);
        patienceSeconds = seconds + warmupSeconds + PATIENCE_SECONDS;
    }

    @Override
    public TransferResult run(TransferKind kind) {
        List<String> timed = List.of("--seconds", seconds, "--warmup", warmupSeconds);
        return switch (kind) {
            case ONE_WAY -> run(kind, "sink-server", "source-client", timed);
            case ECHO -> run(kind, "echo-server", "echo-client", timed);
            case PING_PONG -> run(kind, "echo-server", "pingpong-client",
                List.of("--count", roundTrips, "--warmup-count", roundTrips));
        };
    }

    private TransferResult run(TransferKind kind, String serverName, String clientName, List<String> options) {
        // A ping-pong is measured whole by its server: it is short.
        String serverWarmup = kind == TransferKind.PING_PONG ? "1000" : warmupSeconds;
        try (ChildProcess server = ChildProcess.startJava(KcpLoad.class, jvmOptions,
            command(List.of(serverName, "--warmup", serverWarmup), List.of()))) {
            String port = Long.toString((long) JsonLine.number(server.await("ready", PATIENCE_SECONDS), "port"));
            try (ChildProcess client = ChildProcess.startJava(KcpLoad.class, jvmOptions,
                command(List.of(clientName, "--connect", port), options))) {
                String clientLine = client.await("bench", patienceSeconds);
                return result(kind, clientLine, server.await("bench", PATIENCE_SECONDS));
            }
        }
    }

    private List<String> command(List<String> command, List<String> options) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(options);
        whole.addAll(layers.ourOptions());
        return whole;
    }

    private static TransferResult result(TransferKind kind, String client, String server) {
        if (kind == TransferKind.PING_PONG) {
            double thousands = JsonLine.number(client, "count") / 1e3;
            // The server's figure includes the warm-up, which has as many round trips.
            double cpuMs = JsonLine.number(client, "cpu_ms") + JsonLine.number(server, "cpu_ms") / 2;
            return new TransferResult(kind, JsonLine.number(client, "median_us"), JsonLine.number(client, "p99_us"),
                cpuMs / thousands);
        }
        String measured = kind == TransferKind.ONE_WAY ? server : client;
        return new TransferResult(kind, JsonLine.number(measured, "mb_s"), Double.NaN,
            cpuMsPerMegabyte(client) + cpuMsPerMegabyte(server));
    }

    private static double cpuMsPerMegabyte(String line) {
        return JsonLine.number(line, "cpu_ms") / (JsonLine.number(line, "bytes") / 1e6);
    }
}
