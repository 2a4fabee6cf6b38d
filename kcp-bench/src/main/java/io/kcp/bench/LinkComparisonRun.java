package io.kcp.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Bulk transfers of one or more peers at the same time over one emulated link. The clients start together, and the measurement starts when
 * the warm-up of each client has ended.
 */
record LinkComparisonRun(List<LossyPeer> peers, LinkEmulator link, double warmupSeconds, double seconds) {

    private static final int TIMEOUT_SECONDS = 60;
    /** The clients transfer data for this time longer than the measurement takes. */
    private static final double EXTRA_SECONDS = 5;

    LinkComparisonResult measure() throws InterruptedException {
        List<ChildProcess> servers = new ArrayList<>();
        List<ChildProcess> clients = new ArrayList<>();
        try {
            List<String> ports = new ArrayList<>();
            for (LossyPeer peer : peers) {
                servers.add(link.start(peer.name() + " server", LinkEmulator.SERVER_SIDE,
                    peer.command("server", false, List.of("--host", link.serverAddress(), "--listen", "0"))));
            }
            for (ChildProcess server : servers) {
                ports.add(server.await("ready", TIMEOUT_SECONDS).path("port").asString());
            }
            for (int i = 0; i < peers.size(); i++) {
                clients.add(link.start(peers.get(i).name() + " client", LinkEmulator.CLIENT_SIDE,
                    peers.get(i).command("client", false, List.of("--host", link.serverAddress(), "--connect", ports.get(i),
                        "--warmup", Double.toString(warmupSeconds), "--seconds", Double.toString(seconds + EXTRA_SECONDS)))));
            }
            for (ChildProcess client : clients) {
                client.await("measuring", TIMEOUT_SECONDS + (long) warmupSeconds);
            }
            Counters before = Counters.take(link, servers, clients);
            LoadContext.sleep(seconds);
            return before.until(Counters.take(link, servers, clients));
        } finally {
            clients.forEach(ChildProcess::close);
            servers.forEach(ChildProcess::close);
        }
    }

    /**
     * Counters of all programs at one time.
     *
     * @param cpuMs CPU time by the kind of program
     */
    private record Counters(JsonNode link, List<JsonNode> servers, Map<String, Double> cpuMs, StolenTime stolen) {

        static Counters take(LinkEmulator link, List<ChildProcess> servers, List<ChildProcess> clients) throws InterruptedException {
            List<JsonNode> marks = new ArrayList<>();
            for (ChildProcess server : servers) {
                marks.add(server.ask("mark", TIMEOUT_SECONDS));
            }
            return new Counters(link.counters(), marks, Map.of(LinkComparisonResult.SENDER_CPU, cpuMs(clients),
                LinkComparisonResult.RECEIVER_CPU, cpuMs(servers), LinkComparisonResult.LINK_CPU, link.cpuTime().totalMs()),
                StolenTime.now());
        }

        private static double cpuMs(List<ChildProcess> processes) {
            return processes.stream().mapToDouble(process -> process.cpuTime().totalMs()).sum();
        }

        LinkComparisonResult until(Counters end) {
            Map<String, Double> values = new LinkedHashMap<>();
            JsonNode before = link.path("left_to_right");
            JsonNode after = end.link.path("left_to_right");
            double ns = Json.difference(link, end.link, "ns");
            double packets = Json.difference(before, after, "packets");
            values.put(LinkComparisonResult.QUEUE_P50, Json.number(after, LinkComparisonResult.QUEUE_P50));
            values.put(LinkComparisonResult.QUEUE_P95, Json.number(after, LinkComparisonResult.QUEUE_P95));
            values.put(LinkComparisonResult.DROPPED, 100 * Json.difference(before, after, "overflowed") / packets);
            values.put(LinkComparisonResult.LATE, 100 * Json.difference(before, after, "late") / packets);
            cpuMs.forEach((part, ms) -> values.put(part, 1e8 * (end.cpuMs.getOrDefault(part, Double.NaN) - ms) / ns));
            values.put(LinkComparisonResult.STALLED, 1e9 * Json.difference(link, end.link, "stalled_ms") / ns);
            values.put(LinkComparisonResult.STOLEN, stolen.percentUntil(end.stolen));
            List<Double> goodputs = new ArrayList<>();
            for (int i = 0; i < servers.size(); i++) {
                goodputs.add(Json.difference(servers.get(i), end.servers.get(i), "bytes") * 1e3
                    / Json.difference(servers.get(i), end.servers.get(i), "ns"));
            }
            return new LinkComparisonResult(goodputs, values);
        }
    }
}
