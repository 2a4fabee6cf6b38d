package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.CpuTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Emulated link between two network namespaces, in which processes can be started. The program {@code src/interop/link} emulates the
 * link.
 */
final class LinkEmulator implements AutoCloseable {

    static final String SERVER_SIDE = "right";
    static final String CLIENT_SIDE = "left";

    private static final int TIMEOUT_SECONDS = 10;
    private static final String HIGHEST_PRIORITY = "-20";

    private final String program;
    private final ChildProcess process;
    private final JsonNode ready;

    /**
     * Properties of both directions of a link.
     *
     * @param lossPercent random loss in percent
     * @param rttMs       round-trip time with empty queues
     * @param rateMbit    rate in Mbit/s
     * @param queueBdp    length of the queue as a multiple of the rate times the round-trip time
     */
    record Shape(double lossPercent, double rttMs, double rateMbit, double queueBdp) {
    }

    LinkEmulator(Path program, Shape shape, long seed) throws InterruptedException {
        this.program = program.toAbsolutePath().toString();
        process = ChildProcess.start("linkemu", List.of(this.program, "run", "--loss-percent", Double.toString(shape.lossPercent),
            "--delay-ms", Double.toString(shape.rttMs / 2), "--rate-mbit", Double.toString(shape.rateMbit),
            "--queue-ms", Double.toString(shape.rttMs * shape.queueBdp), "--seed", Long.toString(seed)));
        ready = process.await("ready", TIMEOUT_SECONDS);
    }

    /** Returns the reason why this machine cannot emulate links, or null if it can. */
    static @Nullable String obstacle(Path program) throws IOException, InterruptedException {
        if (!program.toFile().canExecute()) {
            return program + " is missing; build it with src/interop/install.sh";
        }
        Process check = new ProcessBuilder(program.toAbsolutePath().toString(), "check").redirectErrorStream(true).start();
        String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return check.waitFor() == 0 ? null : output.lines().findFirst().orElse("linkemu check failed");
    }

    String serverAddress() {
        return ready.required("right_address").asString();
    }

    /** Starts a process in the network namespace on one side of the link. */
    ChildProcess start(String name, String side, List<String> command) {
        List<String> inNamespace = new ArrayList<>(
            List.of(program, "exec", "--nice", HIGHEST_PRIORITY, ready.required(side).asString(), "--"));
        inNamespace.addAll(command);
        return ChildProcess.start(name, inNamespace);
    }

    /**
     * Returns the current time, the packets and bytes in each direction, and the total time for which processors have stalled. The queueing
     * delays are those since the previous call.
     */
    JsonNode counters() throws InterruptedException {
        return process.ask("counters", TIMEOUT_SECONDS);
    }

    /** Returns the CPU time of the link itself. */
    CpuTime cpuTime() {
        return process.cpuTime();
    }

    @Override
    public void close() {
        process.close();
    }
}
