package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * The other side of the comparison: both ends are the live peer of {@code src/interop/go}, whose README says what it
 * prints. Its defaults are the settings of the comparison. Where it gives CPU time of the whole process only, that is
 * divided by all bytes.
 */
final class KcpGoRunner implements TransferRunner {

    private final Path program;
    private final WireLayers layers;
    private final String seconds;
    private final String warmupSeconds;
    private final String roundTrips;
    private final int patienceSeconds;

    KcpGoRunner(Path program, WireLayers layers, int seconds, int warmupSeconds, int roundTrips) {
        this.program = program;
        this.layers = layers;
        this.seconds = Integer.toString(seconds);
        this.warmupSeconds = Integer.toString(warmupSeconds);
        this.roundTrips = Integer.toString(roundTrips);
        patienceSeconds = seconds + warmupSeconds + PATIENCE_SECONDS;
    }

    @Override
    public TransferResult run(TransferKind kind) {
        return switch (kind) {
            case ONE_WAY -> run(List.of("bench-sink-server", "--warmup", warmupSeconds, "--seconds", seconds), false, "bench",
                List.of("bench-source-client", "--warmup", warmupSeconds, "--seconds", seconds), "bench",
                (source, sink) -> new TransferResult(kind, JsonLine.number(sink, "mb_s"), Double.NaN,
                    cpuMsPerMegabyte(source, "bytes") + cpuMsPerMegabyte(sink, "bytes")));
            case ECHO -> run(List.of("server", "--action", "echo"), true, "done",
                List.of("bench-echo-client", "--warmup", warmupSeconds, "--seconds", seconds), "bench",
                (client, server) -> new TransferResult(kind, JsonLine.number(client, "mb_s"), Double.NaN,
                    cpuMsPerMegabyte(client, "bytes") + cpuMsPerMegabyte(server, "received")));
            case PING_PONG -> run(List.of("server", "--action", "echo"), true, "done",
                List.of("bench-pingpong-client", "--count", roundTrips, "--warmup-count", roundTrips), "pingpong",
                (client, server) -> new TransferResult(kind, JsonLine.number(client, "median_us"),
                    JsonLine.number(client, "p99_us"), pingPongCpuMs(client, server)));
        };
    }

    /** The server's figure includes the warm-up, which has as many round trips. */
    private static double pingPongCpuMs(String client, String server) {
        double thousands = JsonLine.number(client, "count") / 1e3;
        return (JsonLine.number(client, "cpu_ms") + JsonLine.number(server, "cpu_ms") / 2) / thousands;
    }

    /** Runs both ends; {@code result} gets the last lines of client and server. */
    private TransferResult run(List<String> serverArguments, boolean endServer, String serverEvent,
        List<String> clientArguments, String clientEvent, BiFunction<String, String, TransferResult> result) {
        try (ChildProcess server = start(serverArguments)) {
            List<String> connecting = new ArrayList<>(clientArguments);
            connecting.addAll(List.of("--connect",
                "127.0.0.1:" + (long) JsonLine.number(server.await("ready", PATIENCE_SECONDS), "port")));
            try (ChildProcess client = start(connecting)) {
                String clientLine = client.await(clientEvent, patienceSeconds);
                if (endServer) {
                    server.terminate();
                }
                return result.apply(clientLine, server.await(serverEvent, PATIENCE_SECONDS));
            }
        }
    }

    private ChildProcess start(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        command.addAll(layers.kcpGoOptions());
        command.add("--stdin-eof");
        return ChildProcess.start("kcp-go " + arguments.get(0), command);
    }

    private static double cpuMsPerMegabyte(String line, String bytesField) {
        return JsonLine.number(line, "cpu_ms") / (JsonLine.number(line, bytesField) / 1e6);
    }
}
