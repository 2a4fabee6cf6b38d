package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The other side of the comparison: both ends are the live peer of {@code src/interop/go}, whose README says what it
 * prints. Its defaults are the settings of the comparison. Where it gives CPU time of the whole process only, that is
 * divided by all bytes.
 */
final class KcpGoRunner implements TransferRunner {

    private final Path program;
    private final String seconds;
    private final String warmupSeconds;
    private final String roundTrips;
    private final int patienceSeconds;

    KcpGoRunner(Path program, int seconds, int warmupSeconds, int roundTrips) {
        this.program = program;
        this.seconds = Integer.toString(seconds);
        this.warmupSeconds = Integer.toString(warmupSeconds);
        this.roundTrips = Integer.toString(roundTrips);
        patienceSeconds = seconds + warmupSeconds + PATIENCE_SECONDS;
    }

    @Override
    public TransferResult run(TransferKind kind) {
        return switch (kind) {
            case ONE_WAY -> oneWay();
            case ECHO -> echo();
            case PING_PONG -> pingPong();
        };
    }

    private TransferResult oneWay() {
        try (ChildProcess server = start("bench-sink-server", "--warmup", warmupSeconds, "--seconds", seconds);
            ChildProcess client = start("bench-source-client", "--connect", address(server), "--warmup", warmupSeconds,
                "--seconds", seconds)) {
            String source = client.await("bench", patienceSeconds);
            String sink = server.await("bench", PATIENCE_SECONDS);
            return new TransferResult(TransferKind.ONE_WAY, JsonLine.number(sink, "mb_s"), Double.NaN,
                cpuMsPerMegabyte(source, "bytes") + cpuMsPerMegabyte(sink, "bytes"));
        }
    }

    private TransferResult echo() {
        try (ChildProcess server = start("server", "--action", "echo");
            ChildProcess client = start("bench-echo-client", "--connect", address(server), "--warmup", warmupSeconds,
                "--seconds", seconds)) {
            String line = client.await("bench", patienceSeconds);
            server.terminate();
            String done = server.await("done", PATIENCE_SECONDS);
            return new TransferResult(TransferKind.ECHO, JsonLine.number(line, "mb_s"), Double.NaN,
                cpuMsPerMegabyte(line, "bytes") + cpuMsPerMegabyte(done, "received"));
        }
    }

    private TransferResult pingPong() {
        try (ChildProcess server = start("server", "--action", "echo");
            ChildProcess client = start("bench-pingpong-client", "--connect", address(server), "--count", roundTrips,
                "--warmup-count", roundTrips)) {
            String line = client.await("pingpong", patienceSeconds);
            server.terminate();
            String done = server.await("done", PATIENCE_SECONDS);
            double thousands = JsonLine.number(line, "count") / 1e3;
            // The server's figure includes the warm-up, which has as many round trips.
            double cpuMs = JsonLine.number(line, "cpu_ms") + JsonLine.number(done, "cpu_ms") / 2;
            return new TransferResult(TransferKind.PING_PONG, JsonLine.number(line, "median_us"),
                JsonLine.number(line, "p99_us"), cpuMs / thousands);
        }
    }

    private ChildProcess start(String... arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        command.add("--stdin-eof");
        return ChildProcess.start("kcp-go " + arguments[0], command);
    }

    private static String address(ChildProcess server) {
        return "127.0.0.1:" + (long) JsonLine.number(server.await("ready", PATIENCE_SECONDS), "port");
    }

    private static double cpuMsPerMegabyte(String line, String bytesField) {
        return JsonLine.number(line, "cpu_ms") / (JsonLine.number(line, bytesField) / 1e6);
    }
}
