package io.kcp.bench;

import io.kcp.bench.LoadClient.Work;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One run of one contender: starts both ends, and takes the differences between marks. */
final class ScenarioRun {

    /** Which share of all messages is not later than a percentile. */
    static final Map<Metric, Double> SHARES =
        Map.of(Metric.P50_US, 0.5, Metric.P90_US, 0.9, Metric.P99_US, 0.99, Metric.P999_US, 0.999, Metric.MAX_US, 1.0);

    private static final int READY_SECONDS = 20;
    private static final int ANSWER_SECONDS = 20;
    private static final int OPENED_SECONDS = 300;
    private static final int END_SECONDS = 5;
    private static final double US_PER_MS = 1_000;

    private final Scenario scenario;
    private final Contender contender;
    private final Peer peer;
    private final RunTimes times;

    ScenarioRun(Scenario scenario, Contender contender, Peer peer, RunTimes times) {
        this.scenario = scenario;
        this.contender = contender;
        this.peer = peer;
        this.times = times;
    }

    /** Takes as long as it takes; throws with what the ends printed if one of them fails. */
    Map<Metric, Double> run() {
        ChildProcess server = peer.startServer(scenario, contender, List.of("--work", scenario.serverWork()));
        try (server) {
            String port = Long.toString((long) JsonLine.number(server.await("ready", READY_SECONDS), "port"));
            ChildProcess client = peer.startClient(scenario, contender, clientOptions(port));
            try (client) {
                Map<Metric, Double> figures = scenario.work() == Work.IDLE ? idle(server, client) : load(server, client);
                client.end(END_SECONDS);
                server.end(END_SECONDS);
                return figures;
            }
        }
    }

    private List<String> clientOptions(String port) {
        List<String> options = new ArrayList<>(List.of("--connect", port, "--work", scenario.work().name().toLowerCase(Locale.ROOT)));
        options.addAll(scenario.clientOptions());
        if (scenario.work() == Work.PINGPONG) {
            String count = Integer.toString(times.roundTrips);
            options.addAll(List.of("--count", count, "--warmup-count", count));
        } else if (scenario.work() != Work.IDLE) {
            options.addAll(List.of("--seconds", Double.toString(times.seconds), "--warmup", Double.toString(times.warmupSeconds)));
        }
        return options;
    }

    private Map<Metric, Double> load(ChildProcess server, ChildProcess client) {
        client.await("measuring", OPENED_SECONDS);
        boolean stats = peer.tellsStats() && scenario.wantsStats();
        Ends before = Ends.mark(server, client, stats);
        String result = client.await("result", (long) times.seconds + OPENED_SECONDS);
        Ends after = Ends.mark(server, client, stats);
        return figures(before, after, result);
    }

    /** What the lines of one run say. */
    private Map<Metric, Double> figures(Ends before, Ends after, String result) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        double cpuMs = difference(before.server, after.server, "cpu_ms") + difference(before.client, after.client, "cpu_ms");
        switch (scenario.work()) {
            case SOURCE -> throughput(figures, difference(before.server, after.server, "bytes"),
                difference(before.server, after.server, "ns") / 1e9, cpuMs);
            case ECHO -> throughput(figures, difference(before.client, after.client, "bytes"),
                difference(before.client, after.client, "ns") / 1e9, cpuMs);
            case PINGPONG -> {
                figures.put(Metric.MEDIAN_US, JsonLine.number(result, "median_us"));
                figures.put(Metric.P99_US, JsonLine.number(result, "p99_us"));
                figures.put(Metric.CPU_US_ROUND_TRIP,
                    cpuMs * US_PER_MS / (difference(before.server, after.server, "bytes") / scenario.writeBytes()));
            }
            case FLEET -> {
                double serverCpuMs = difference(before.server, after.server, "cpu_ms");
                figures.put(Metric.SERVER_CPU_MS_S, serverCpuMs / (difference(before.server, after.server, "ns") / 1e9));
                figures.put(Metric.CPU_US_MESSAGE,
                    serverCpuMs * US_PER_MS / (difference(before.server, after.server, "bytes") / scenario.writeBytes()));
                figures.put(Metric.LOST, JsonLine.number(result, "sent") - JsonLine.number(result, "received"));
                percentiles(figures, result);
                dropHidden(figures, JsonLine.number(result, "sent"));
            }
            case CHURN -> {
                figures.put(Metric.SESSIONS_S, JsonLine.number(result, "sessions_s"));
                percentiles(figures, result);
            }
            case IDLE -> throw new IllegalStateException("no load");
        }
        ours(figures, before, after);
        figures.values().removeIf(value -> value.isNaN());
        return figures;
    }

    private void throughput(Map<Metric, Double> figures, double bytes, double seconds, double cpuMs) {
        figures.put(Metric.MB_S, bytes / 1e6 / seconds);
        figures.put(Metric.CPU_MS_MB, cpuMs / (bytes / 1e6));
        if (scenario.messages()) {
            double messages = bytes / scenario.writeBytes();
            figures.put(Metric.MESSAGES_S, messages / seconds);
            figures.put(Metric.CPU_US_MESSAGE, cpuMs * US_PER_MS / messages);
        }
    }

    private static void percentiles(Map<Metric, Double> figures, String result) {
        for (Metric metric : List.of(Metric.P50_US, Metric.P90_US, Metric.P99_US, Metric.P999_US, Metric.MAX_US)) {
            figures.put(metric, JsonLine.number(result, metric.key()));
        }
    }

    /** What did not come back was later than all the rest: a percentile among it is not known. */
    static void dropHidden(Map<Metric, Double> figures, double sent) {
        double lostShare = figures.getOrDefault(Metric.LOST, 0.0) / sent;
        SHARES.forEach((metric, share) -> {
            if (lostShare > 1 - share) {
                figures.remove(metric);
            }
        });
    }

    private static void ours(Map<Metric, Double> figures, Ends before, Ends after) {
        if (!before.clientStats.isEmpty()) {
            figures.put(Metric.SPURIOUS, difference(before.clientStats, after.clientStats, "spurious")
                + difference(before.serverStats, after.serverStats, "spurious"));
            double garbage = garbage(before.server, after.server, before.serverStats, after.serverStats);
            if (datagrams(before.clientStats, after.clientStats) > 0) {
                garbage = Math.max(garbage, garbage(before.client, after.client, before.clientStats, after.clientStats));
            }
            figures.put(Metric.GARBAGE_BYTES_DATAGRAM, garbage);
        }
    }

    private static double garbage(String markBefore, String markAfter, String statsBefore, String statsAfter) {
        return difference(markBefore, markAfter, "allocated_bytes") / datagrams(statsBefore, statsAfter);
    }

    private static double datagrams(String before, String after) {
        return difference(before, after, "datagrams_in") + difference(before, after, "datagrams_out");
    }

    private Map<Metric, Double> idle(ChildProcess server, ChildProcess client) {
        int few = times.idleFew;
        int many = Math.max(few + 1, Math.min(times.idleMany, peer.mostSessions()));
        open(client, few);
        // What answering loads once is charged neither to the sessions that follow nor to the time without load.
        memory(server);
        ask(server, "mark");
        pause(times.settleSeconds);
        String before = ask(server, "mark");
        pause(times.idleSeconds);
        String after = ask(server, "mark");
        String fewMemory = memory(server);
        open(client, many);
        pause(times.settleSeconds);
        String manyMemory = memory(server);
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.SERVER_CPU_MS_S, difference(before, after, "cpu_ms") / (difference(before, after, "ns") / 1e9));
        figures.put(Metric.BYTES_SESSION, difference(fewMemory, manyMemory, "live_bytes") / (many - few));
        figures.put(Metric.DIRECT_BYTES_SESSION, difference(fewMemory, manyMemory, "direct_bytes") / (many - few));
        figures.put(Metric.RESIDENT_BYTES_SESSION, difference(fewMemory, manyMemory, "rss_bytes") / (many - few));
        figures.put(Metric.SESSIONS, (double) many);
        figures.values().removeIf(value -> value.isNaN());
        return figures;
    }

    private void open(ChildProcess client, int sessions) {
        client.tell("open " + sessions);
        String line = client.await("opened", OPENED_SECONDS);
        if (JsonLine.number(line, "sessions") != sessions) {
            throw new IllegalStateException(contender.name() + ": wanted " + sessions + " sessions, got " + line);
        }
        pause(times.settleSeconds);
    }

    private static String memory(ChildProcess process) {
        return ask(process, "memory");
    }

    private static String ask(ChildProcess process, String line) {
        process.tell(line);
        return process.await(line, line.equals("memory") ? OPENED_SECONDS : ANSWER_SECONDS);
    }

    private static void pause(double seconds) {
        ProcessMeter.sleep((long) (seconds * 1e3));
    }

    private static double difference(String before, String after, String name) {
        return JsonLine.number(after, name) - JsonLine.number(before, name);
    }

    /** Both ends at one moment; stats are empty if there are none. */
    private record Ends(String server, String client, String serverStats, String clientStats) {

        static Ends mark(ChildProcess server, ChildProcess client, boolean stats) {
            server.tell("mark");
            client.tell("mark");
            String serverMark = server.await("mark", ANSWER_SECONDS);
            String clientMark = client.await("mark", ANSWER_SECONDS);
            return new Ends(serverMark, clientMark, stats ? ask(server, "stats") : "", stats ? ask(client, "stats") : "");
        }
    }
}
