package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.Json;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Measures one or more flows at the same time over one emulated link. The clients start together, and the measurement starts when the
 * warm-up of each client has ended.
 */
record LinkRun(LinkKind kind, List<Flow> flows, LinkEmulator link, double warmupSeconds, double seconds) {

    private static final int TIMEOUT_SECONDS = 90;
    private static final long DELIVERY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_INTERVAL_MS = 200;
    /** Clients transfer data for this time longer than the measurement takes. */
    private static final double EXTRA_SECONDS = 5;
    private static final List<String> OWN_DELAY_OPTIONS = List.of("--mode", "MESSAGE", "--write-bytes", "200");

    /** A contender with its program and its FEC. */
    record Flow(Contender contender, Peer peer, Layers layers) {

        List<String> command(String end, LinkKind kind, List<String> endOptions) {
            List<String> options = new ArrayList<>(endOptions);
            if (kind.isDelay() && peer.kind() != Peer.Kind.KCP_GO) {
                options.addAll(List.of("--work", "delay"));
            } else if (!kind.isDelay()) {
                options.addAll(List.of("--work", end.equals(Peer.SERVER) ? "sink" : "source"));
            }
            if (kind.isDelay() && peer.isOurs()) {
                options.addAll(OWN_DELAY_OPTIONS);
            }
            return peer.withAction(kind.isDelay() ? "delay" : "load").command(end, contender, layers, options);
        }
    }

    Map<Metric, Double> measure() throws InterruptedException {
        List<ChildProcess> servers = new ArrayList<>();
        List<ChildProcess> clients = new ArrayList<>();
        try {
            for (Flow flow : flows) {
                servers.add(start(flow, Peer.SERVER, List.of("--listen", "0")));
            }
            for (int i = 0; i < flows.size(); i++) {
                String port = servers.get(i).await("ready", TIMEOUT_SECONDS).path("port").asString();
                List<String> options = new ArrayList<>(List.of("--connect", port, "--warmup", Double.toString(warmupSeconds),
                    "--seconds", Double.toString(seconds + (kind.isDelay() ? 0 : EXTRA_SECONDS))));
                options.addAll(kind.clientOptions());
                clients.add(start(flows.get(i), Peer.CLIENT, options));
            }
            for (ChildProcess client : clients) {
                client.await("measuring", TIMEOUT_SECONDS + (long) warmupSeconds);
            }
            return kind.isDelay() ? delay(servers, clients) : goodput(servers, clients);
        } finally {
            clients.forEach(ChildProcess::close);
            servers.forEach(ChildProcess::close);
        }
    }

    private ChildProcess start(Flow flow, String end, List<String> options) {
        List<String> all = new ArrayList<>(List.of("--host", link.serverAddress()));
        all.addAll(options);
        return link.start(flow.contender.name() + ' ' + end,
            end.equals(Peer.SERVER) ? LinkEmulator.SERVER_SIDE : LinkEmulator.CLIENT_SIDE, flow.command(end, kind, all));
    }

    private Map<Metric, Double> delay(List<ChildProcess> servers, List<ChildProcess> clients) throws InterruptedException {
        JsonNode before = link.counters();
        double sent = Json.number(clients.get(0).await("result", TIMEOUT_SECONDS + (long) seconds), "sent");
        JsonNode after = link.counters();
        long deadlineNs = System.nanoTime() + DELIVERY_TIMEOUT_NS;
        JsonNode delays = servers.get(0).ask("delay", TIMEOUT_SECONDS);
        while (Json.number(delays, "received") < sent && System.nanoTime() - deadlineNs < 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL_MS);
            delays = servers.get(0).ask("delay", TIMEOUT_SECONDS);
        }
        Map<Metric, Double> values = ofLink(before, after);
        for (Metric metric : List.of(Metric.P50_MS, Metric.P90_MS, Metric.P99_MS)) {
            values.put(metric, Json.number(delays, metric.key()));
        }
        values.put(Metric.MISSING, sent - Json.number(delays, "received"));
        values.values().removeIf(value -> value.isNaN());
        return values;
    }

    private Map<Metric, Double> goodput(List<ChildProcess> servers, List<ChildProcess> clients) throws InterruptedException {
        Counters before = Counters.take(link, servers, clients);
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
        Counters after = Counters.take(link, servers, clients);
        Map<Metric, Double> values = ofLink(before.link, after.link);
        double ns = Json.difference(before.link, after.link, "ns");
        after.cpuMs.forEach((metric, ms) -> values.put(metric, 1e8 * (ms - before.cpuMs.getOrDefault(metric, Double.NaN)) / ns));
        List<Double> goodputs = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            goodputs.add(Json.difference(before.servers.get(i), after.servers.get(i), "bytes") * 1e3
                / Json.difference(before.servers.get(i), after.servers.get(i), "ns"));
        }
        values.put(Metric.MB_S, goodputs.get(0));
        if (goodputs.size() > 1) {
            double others = goodputs.stream().skip(1).mapToDouble(Double::doubleValue).sum();
            values.put(Metric.RIVAL_MB_S, others);
            values.put(Metric.SHARE_PERCENT, 100 * goodputs.get(0) / (goodputs.get(0) + others));
        }
        values.values().removeIf(value -> value.isNaN());
        return values;
    }

    private static Map<Metric, Double> ofLink(JsonNode before, JsonNode after) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        JsonNode first = before.path("left_to_right");
        JsonNode last = after.path("left_to_right");
        double ns = Json.difference(before, after, "ns");
        double packets = Json.difference(first, last, "packets");
        values.put(Metric.WIRE_MB_S, Json.difference(first, last, "bytes") * 1e3 / ns);
        values.put(Metric.QUEUE_P50_MS, Json.number(last, Metric.QUEUE_P50_MS.key()));
        values.put(Metric.QUEUE_P95_MS, Json.number(last, Metric.QUEUE_P95_MS.key()));
        values.put(Metric.DROPPED_PERCENT, 100 * Json.difference(first, last, "overflowed") / packets);
        values.put(Metric.LATE_PERCENT, 100 * Json.difference(first, last, "late") / packets);
        values.put(Metric.STALLED_MS_S, 1e9 * Json.difference(before, after, "stalled_ms") / ns);
        return values;
    }

    /** Counters of all programs at one time. */
    private record Counters(JsonNode link, List<JsonNode> servers, Map<Metric, Double> cpuMs) {

        static Counters take(LinkEmulator link, List<ChildProcess> servers, List<ChildProcess> clients) throws InterruptedException {
            List<JsonNode> marks = new ArrayList<>();
            for (ChildProcess server : servers) {
                marks.add(server.ask("mark", TIMEOUT_SECONDS));
            }
            return new Counters(link.counters(), marks, Map.of(Metric.SENDER_CPU_PERCENT, cpuMs(clients),
                Metric.RECEIVER_CPU_PERCENT, cpuMs(servers), Metric.LINK_CPU_PERCENT, link.cpuTime().totalMs()));
        }

        private static double cpuMs(List<ChildProcess> processes) {
            return processes.stream().mapToDouble(process -> process.cpuTime().totalMs()).sum();
        }
    }
}
