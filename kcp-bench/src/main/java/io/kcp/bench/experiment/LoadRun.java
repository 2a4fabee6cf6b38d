package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.CpuTime;
import io.kcp.bench.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Starts the server and the client of one contender, and computes metrics from two snapshots of the counters of both programs.
 *
 * @param countsSyscalls whether the system calls of both programs are counted
 */
record LoadRun(Scenario scenario, Contender contender, Peer peer, RunOptions options, RunDurations durations, Pinning pinning,
    boolean countsSyscalls) {

    /** For each delay metric, the quantile of the delay distribution that the metric reports. */
    static final Map<Metric, Double> QUANTILES =
        Map.of(Metric.P50_US, 0.5, Metric.P90_US, 0.9, Metric.P99_US, 0.99, Metric.P999_US, 0.999, Metric.MAX_US, 1.0);

    private static final int READY_SECONDS = 60;
    private static final int RESPONSE_SECONDS = 60;
    private static final int OPENED_SECONDS = 300;
    private static final int EXIT_SECONDS = 5;
    private static final double US_PER_MS = 1_000;
    /** Makes idle sessions expire quickly, because the KCP clients of other implementations do not notify the server of a close. */
    private static final List<String> CHURN_OPTIONS = List.of("--idle-timeout-ms", "2000");
    private static final List<String> IDLE_OPTIONS = List.of("--keepalive-ms", "0", "--idle-timeout-ms", "0");

    /**
     * Runs the server and the client and returns the metrics. If one of the two programs fails, throws an {@link IllegalStateException}
     * that contains the program's output.
     */
    Map<Metric, Double> run() throws InterruptedException, IOException {
        try (ChildProcess server = start(Peer.SERVER, List.of("--work", scenario.serverWork()))) {
            String port = server.await("ready", READY_SECONDS).path("port").asString();
            List<String> clientOptions = new ArrayList<>(List.of("--connect", port, "--work", scenario.work().toString()));
            clientOptions.addAll(scenario.clientOptions());
            clientOptions.addAll(durations.clientOptions(scenario, options));
            try (ChildProcess client = start(Peer.CLIENT, clientOptions)) {
                Map<Metric, Double> metrics = scenario.work() == Scenario.Work.IDLE ? idle(server, client) : load(server, client);
                client.end(EXIT_SECONDS);
                server.end(EXIT_SECONDS);
                metrics.values().removeIf(value -> !Double.isFinite(value));
                return metrics;
            }
        }
    }

    private ChildProcess start(String end, List<String> common) {
        return start(scenario, contender, peer, end, pinning(end), common);
    }

    private List<String> pinning(String end) {
        return !scenario.pinned() ? List.of() : end.equals(Peer.SERVER) ? pinning.server() : pinning.clients();
    }

    /**
     * Starts the server or the client of a scenario.
     *
     * @param prefix command that runs the program on certain processors, or empty
     */
    static ChildProcess start(Scenario scenario, Contender contender, Peer peer, String end, List<String> prefix, List<String> common) {
        List<String> options = new ArrayList<>(common);
        if (peer.isOurs()) {
            options.addAll(List.of("--mode", scenario.messages() ? "MESSAGE" : "STREAM"));
            if (scenario.work() == Scenario.Work.CHURN && end.equals(Peer.SERVER)) {
                options.addAll(CHURN_OPTIONS);
            } else if (scenario.work() == Scenario.Work.IDLE) {
                options.addAll(IDLE_OPTIONS);
            }
        }
        List<String> command = new ArrayList<>(prefix);
        command.addAll(peer.command(end, contender, scenario.layers(), options));
        return ChildProcess.start(contender.name() + ' ' + end, command);
    }

    private Map<Metric, Double> load(ChildProcess server, ChildProcess client) throws InterruptedException, IOException {
        client.await("measuring", OPENED_SECONDS);
        boolean stats = peer.isOurs() && scenario.needsStats();
        CompilerTime serverCompilers = new CompilerTime(server.pid());
        CompilerTime clientCompilers = new CompilerTime(client.pid());
        Marks before = Marks.take(server, client, stats, serverCompilers, clientCompilers);
        double syscalls = Double.NaN;
        JsonNode result;
        if (countsSyscalls) {
            try (SyscallCounter counter = SyscallCounter.start(server.pid(), client.pid())) {
                result = client.await("result", (long) options.seconds + OPENED_SECONDS);
                syscalls = counter.stop();
            }
        } else {
            result = client.await("result", (long) options.seconds + OPENED_SECONDS);
        }
        return metrics(new Interval(before, Marks.take(server, client, stats, serverCompilers, clientCompilers)), result, syscalls);
    }

    private Map<Metric, Double> metrics(Interval interval, JsonNode result, double syscalls) {
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        double serverCpuMs = interval.server("cpu_ms");
        double cpuMs = serverCpuMs + interval.client("cpu_ms");
        double operations = interval.server("bytes") / scenario.writeBytes();
        switch (scenario.work()) {
            case SOURCE -> throughput(metrics, interval.server("bytes"), interval.server("ns") / 1e9, cpuMs);
            case ECHO -> throughput(metrics, interval.client("bytes"), interval.client("ns") / 1e9, cpuMs);
            case PINGPONG -> {
                metrics.put(Metric.MEDIAN_US, Json.number(result, "median_us"));
                metrics.put(Metric.P99_US, Json.number(result, "p99_us"));
                metrics.put(Metric.CPU_US_ROUND_TRIP, cpuMs * US_PER_MS / operations);
            }
            case FLEET -> {
                metrics.put(Metric.SERVER_CPU_MS_S, serverCpuMs / (interval.server("ns") / 1e9));
                metrics.put(Metric.CPU_US_MESSAGE, serverCpuMs * US_PER_MS / operations);
                metrics.put(Metric.USER_US_MESSAGE, interval.server("user_ms") * US_PER_MS / operations);
                metrics.put(Metric.KERNEL_US_MESSAGE, interval.server("kernel_ms") * US_PER_MS / operations);
                metrics.put(Metric.LOST, Json.number(result, "sent") - Json.number(result, "received"));
                QUANTILES.keySet().forEach(metric -> metrics.put(metric, Json.number(result, metric.key())));
                removeUnknownQuantiles(metrics, Json.number(result, "sent"));
            }
            case CHURN -> {
                metrics.put(Metric.SESSIONS_S, Json.number(result, "sessions_s"));
                QUANTILES.keySet().forEach(metric -> metrics.put(metric, Json.number(result, metric.key())));
            }
            case PACKETS -> {
                operations = interval.client("messages");
                metrics.put(Metric.MESSAGES_S, Json.number(result, "echoes_s"));
                metrics.put(Metric.CPU_US_MESSAGE, cpuMs * US_PER_MS / operations);
                metrics.put(Metric.P50_US, Json.number(result, "p50_us"));
                metrics.put(Metric.P99_US, Json.number(result, "p99_us"));
            }
            default -> throw new IllegalStateException("no metrics are defined for the workload " + scenario.work());
        }
        addStats(metrics, interval);
        metrics.put(Metric.OPERATIONS_S, operations / (interval.server("ns") / 1e9));
        metrics.put(Metric.USER_US_OPERATION, (interval.server("own_user_ms") + interval.client("own_user_ms")) * US_PER_MS / operations);
        metrics.put(Metric.ALLOCATED_BYTES_OPERATION,
            (interval.server("allocated_bytes") + interval.client("allocated_bytes")) / operations);
        metrics.put(Metric.SYSCALLS_OPERATION, syscalls / operations);
        return metrics;
    }

    private void throughput(Map<Metric, Double> metrics, double bytes, double seconds, double cpuMs) {
        metrics.put(Metric.MB_S, bytes / 1e6 / seconds);
        metrics.put(Metric.CPU_MS_MB, cpuMs / (bytes / 1e6));
        if (scenario.messages()) {
            double messages = bytes / scenario.writeBytes();
            metrics.put(Metric.MESSAGES_S, messages / seconds);
            metrics.put(Metric.CPU_US_MESSAGE, cpuMs * US_PER_MS / messages);
        }
    }

    /** Removes the quantiles that fall on lost messages, which count as later than all received messages. */
    static void removeUnknownQuantiles(Map<Metric, Double> metrics, double sent) {
        double lostShare = metrics.getOrDefault(Metric.LOST, 0.0) / sent;
        QUANTILES.forEach((metric, quantile) -> {
            if (lostShare > 1 - quantile) {
                metrics.remove(metric);
            }
        });
    }

    /** Adds the metrics that require session statistics. Without statistics, these metrics are NaN. */
    private static void addStats(Map<Metric, Double> metrics, Interval interval) {
        double serverDatagrams = interval.server("datagrams_in") + interval.server("datagrams_out");
        double clientDatagrams = interval.client("datagrams_in") + interval.client("datagrams_out");
        double garbage = interval.server("allocated_bytes") / serverDatagrams;
        metrics.put(Metric.SPURIOUS, interval.client("spurious") + interval.server("spurious"));
        metrics.put(Metric.GARBAGE_BYTES_DATAGRAM,
            clientDatagrams > 0 ? Math.max(garbage, interval.client("allocated_bytes") / clientDatagrams) : garbage);
    }

    private Map<Metric, Double> idle(ChildProcess server, ChildProcess client) throws InterruptedException {
        int few = durations.idleFew;
        int many = Math.max(few + 1, Math.min(durations.idleMany, peer.maxSessions()));
        open(client, few);
        // Executes each command once in advance, so that class loading affects neither the measured memory of the sessions nor the CPU
        // time of idle sessions.
        memory(server);
        server.ask("mark", RESPONSE_SECONDS);
        sleep(durations.settleSeconds);
        JsonNode before = server.ask("mark", RESPONSE_SECONDS);
        sleep(durations.idleSeconds);
        JsonNode after = server.ask("mark", RESPONSE_SECONDS);
        JsonNode fewMemory = memory(server);
        open(client, many);
        sleep(durations.settleSeconds);
        JsonNode manyMemory = memory(server);
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        metrics.put(Metric.SERVER_CPU_MS_S, Json.difference(before, after, "cpu_ms") / (Json.difference(before, after, "ns") / 1e9));
        metrics.put(Metric.BYTES_SESSION, Json.difference(fewMemory, manyMemory, "live_bytes") / (many - few));
        metrics.put(Metric.DIRECT_BYTES_SESSION, Json.difference(fewMemory, manyMemory, "direct_bytes") / (many - few));
        metrics.put(Metric.RESIDENT_BYTES_SESSION, Json.difference(fewMemory, manyMemory, "rss_bytes") / (many - few));
        metrics.put(Metric.SESSIONS, (double) many);
        return metrics;
    }

    private void open(ChildProcess client, int sessions) throws InterruptedException {
        client.send("open " + sessions);
        JsonNode opened = client.await("opened", OPENED_SECONDS);
        if (Json.number(opened, "sessions") != sessions) {
            throw new IllegalStateException(contender.name() + ": expected " + sessions + " open sessions, got " + opened);
        }
        sleep(durations.settleSeconds);
    }

    private static JsonNode memory(ChildProcess process) throws InterruptedException {
        return process.ask("memory", OPENED_SECONDS);
    }

    private static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }

    /** Snapshots of the counters of the server and the client at the same point in time, optionally with session statistics. */
    private record Marks(JsonNode server, JsonNode client) {

        static Marks take(ChildProcess server, ChildProcess client, boolean stats, CompilerTime serverCompilers,
            CompilerTime clientCompilers) throws InterruptedException {
            server.send("mark");
            client.send("mark");
            ObjectNode serverMark = (ObjectNode) server.await("mark", RESPONSE_SECONDS);
            ObjectNode clientMark = (ObjectNode) client.await("mark", RESPONSE_SECONDS);
            addCpuTime(serverMark, server, serverCompilers);
            addCpuTime(clientMark, client, clientCompilers);
            if (stats) {
                serverMark.setAll((ObjectNode) server.ask("stats", RESPONSE_SECONDS));
                clientMark.setAll((ObjectNode) client.ask("stats", RESPONSE_SECONDS));
            }
            return new Marks(serverMark, clientMark);
        }

        private static void addCpuTime(ObjectNode mark, ChildProcess process, CompilerTime compilers) {
            CpuTime cpu = process.cpuTime();
            compilers.update();
            mark.put("user_ms", cpu.userMs()).put("kernel_ms", cpu.kernelMs())
                .put("own_user_ms", cpu.userMs() - compilers.userMs());
        }
    }

    /** Difference between two snapshots of all counters. */
    private record Interval(Marks before, Marks after) {

        double server(String field) {
            return Json.difference(before.server, after.server, field);
        }

        double client(String field) {
            return Json.difference(before.client, after.client, field);
        }
    }
}
