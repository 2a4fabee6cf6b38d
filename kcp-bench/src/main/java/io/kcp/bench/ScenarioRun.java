package io.kcp.bench;

import io.kcp.bench.LoadClient.Work;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Starts the server and the client of one contender, and computes metrics from two snapshots of the counters of both programs. */
record ScenarioRun(Scenario scenario, Contender contender, Peer peer, RunDurations durations, Pinning pinning) {

    /** For each delay metric, the quantile of the delay distribution that the metric reports. */
    static final Map<Metric, Double> QUANTILES =
        Map.of(Metric.P50_US, 0.5, Metric.P90_US, 0.9, Metric.P99_US, 0.99, Metric.P999_US, 0.999, Metric.MAX_US, 1.0);

    private static final int READY_SECONDS = 20;
    private static final int RESPONSE_SECONDS = 20;
    private static final int OPENED_SECONDS = 300;
    private static final int EXIT_SECONDS = 5;
    private static final double US_PER_MS = 1_000;

    /**
     * Runs the server and the client and returns the metrics. If one of the two programs fails, throws an {@link IllegalStateException}
     * that contains the program's output.
     */
    Map<Metric, Double> run() throws InterruptedException {
        try (ChildProcess server = start("server", List.of("--work", scenario.serverWork()))) {
            String port = server.await("ready", READY_SECONDS).path("port").asString();
            try (ChildProcess client = start("client", clientOptions(port))) {
                Map<Metric, Double> metrics = scenario.work() == Work.IDLE ? idle(server, client) : load(server, client);
                client.end(EXIT_SECONDS);
                server.end(EXIT_SECONDS);
                metrics.values().removeIf(value -> value.isNaN());
                return metrics;
            }
        }
    }

    private ChildProcess start(String end, List<String> options) {
        List<String> prefix = !scenario.pinned() ? List.of() : end.equals("server") ? pinning.server() : pinning.clients();
        return peer.start(end, prefix, scenario, contender, options);
    }

    private List<String> clientOptions(String port) {
        List<String> options = new ArrayList<>(List.of("--connect", port, "--work", scenario.work().name().toLowerCase(Locale.ROOT)));
        options.addAll(scenario.clientOptions());
        if (scenario.work() == Work.PINGPONG) {
            options.addAll(List.of("--count", Integer.toString(durations.roundTrips), "--warmup-count",
                Integer.toString(durations.warmupRoundTrips(scenario))));
        } else if (scenario.work() != Work.IDLE) {
            options.addAll(List.of("--seconds", Double.toString(durations.seconds), "--warmup",
                Double.toString(durations.warmupSeconds(scenario))));
        }
        return options;
    }

    private Map<Metric, Double> load(ChildProcess server, ChildProcess client) throws InterruptedException {
        client.await("measuring", OPENED_SECONDS);
        boolean stats = peer.reportsStats() && scenario.needsStats();
        StolenTime start = StolenTime.now();
        Marks before = Marks.take(server, client, stats);
        JsonNode result = client.await("result", (long) durations.seconds + OPENED_SECONDS);
        Map<Metric, Double> metrics = metrics(new Interval(before, Marks.take(server, client, stats)), result);
        metrics.put(Metric.HOST_CPU_PERCENT, start.percentUntilNow());
        return metrics;
    }

    private Map<Metric, Double> metrics(Interval interval, JsonNode result) {
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        double serverCpuMs = interval.server("cpu_ms");
        double cpuMs = serverCpuMs + interval.client("cpu_ms");
        double serverMessages = interval.server("bytes") / scenario.writeBytes();
        switch (scenario.work()) {
            case SOURCE -> throughput(metrics, interval.server("bytes"), interval.server("ns") / 1e9, cpuMs);
            case ECHO -> throughput(metrics, interval.client("bytes"), interval.client("ns") / 1e9, cpuMs);
            case PINGPONG -> {
                metrics.put(Metric.MEDIAN_US, Json.number(result, "median_us"));
                metrics.put(Metric.P99_US, Json.number(result, "p99_us"));
                metrics.put(Metric.CPU_US_ROUND_TRIP, cpuMs * US_PER_MS / serverMessages);
            }
            case FLEET -> {
                metrics.put(Metric.SERVER_CPU_MS_S, serverCpuMs / (interval.server("ns") / 1e9));
                metrics.put(Metric.CPU_US_MESSAGE, serverCpuMs * US_PER_MS / serverMessages);
                metrics.put(Metric.USER_US_MESSAGE, interval.server("user_ms") * US_PER_MS / serverMessages);
                metrics.put(Metric.KERNEL_US_MESSAGE, interval.server("kernel_ms") * US_PER_MS / serverMessages);
                metrics.put(Metric.LOST, Json.number(result, "sent") - Json.number(result, "received"));
                QUANTILES.keySet().forEach(metric -> metrics.put(metric, Json.number(result, metric.key())));
                removeUnknownQuantiles(metrics, Json.number(result, "sent"));
            }
            case CHURN -> {
                metrics.put(Metric.SESSIONS_S, Json.number(result, "sessions_s"));
                QUANTILES.keySet().forEach(metric -> metrics.put(metric, Json.number(result, metric.key())));
            }
            case PACKETS -> {
                metrics.put(Metric.MESSAGES_S, Json.number(result, "echoes_s"));
                metrics.put(Metric.CPU_US_MESSAGE, cpuMs * US_PER_MS / interval.client("messages"));
                metrics.put(Metric.P50_US, Json.number(result, "p50_us"));
                metrics.put(Metric.P99_US, Json.number(result, "p99_us"));
            }
            default -> throw new IllegalStateException("no metrics are defined for the workload " + scenario.work());
        }
        addStats(metrics, interval);
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
        LoadContext.sleep(durations.settleSeconds);
        JsonNode before = server.ask("mark", RESPONSE_SECONDS);
        StolenTime start = StolenTime.now();
        LoadContext.sleep(durations.idleSeconds);
        double hostCpuPercent = start.percentUntilNow();
        JsonNode after = server.ask("mark", RESPONSE_SECONDS);
        JsonNode fewMemory = memory(server);
        open(client, many);
        LoadContext.sleep(durations.settleSeconds);
        JsonNode manyMemory = memory(server);
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        metrics.put(Metric.SERVER_CPU_MS_S, Json.difference(before, after, "cpu_ms") / (Json.difference(before, after, "ns") / 1e9));
        metrics.put(Metric.BYTES_SESSION, Json.difference(fewMemory, manyMemory, "live_bytes") / (many - few));
        metrics.put(Metric.DIRECT_BYTES_SESSION, Json.difference(fewMemory, manyMemory, "direct_bytes") / (many - few));
        metrics.put(Metric.RESIDENT_BYTES_SESSION, Json.difference(fewMemory, manyMemory, "rss_bytes") / (many - few));
        metrics.put(Metric.SESSIONS, (double) many);
        metrics.put(Metric.HOST_CPU_PERCENT, hostCpuPercent);
        return metrics;
    }

    private void open(ChildProcess client, int sessions) throws InterruptedException {
        client.send("open " + sessions);
        JsonNode opened = client.await("opened", OPENED_SECONDS);
        if (Json.number(opened, "sessions") != sessions) {
            throw new IllegalStateException(contender.name() + ": expected " + sessions + " open sessions, got " + opened);
        }
        LoadContext.sleep(durations.settleSeconds);
    }

    private static JsonNode memory(ChildProcess process) throws InterruptedException {
        return process.ask("memory", OPENED_SECONDS);
    }

    /** Snapshots of the counters of the server and the client at the same point in time, optionally with session statistics. */
    private record Marks(JsonNode server, JsonNode client) {

        static Marks take(ChildProcess server, ChildProcess client, boolean stats) throws InterruptedException {
            server.send("mark");
            client.send("mark");
            ObjectNode serverMark = (ObjectNode) server.await("mark", RESPONSE_SECONDS);
            ObjectNode clientMark = (ObjectNode) client.await("mark", RESPONSE_SECONDS);
            CpuTime cpu = server.cpuTime();
            serverMark.put("user_ms", cpu.userMs()).put("kernel_ms", cpu.kernelMs());
            if (stats) {
                serverMark.setAll((ObjectNode) server.ask("stats", RESPONSE_SECONDS));
                clientMark.setAll((ObjectNode) client.ask("stats", RESPONSE_SECONDS));
            }
            return new Marks(serverMark, clientMark);
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
