package io.kcp.bench;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Measures one peer over one emulated link. */
record LossyRun(LossyPeer peer, LossyKind kind, LinkEmulator link, double warmupSeconds, double seconds) {

    private static final int TIMEOUT_SECONDS = 90;
    private static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    LossyResult measure() throws InterruptedException {
        List<String> serverCommand =
            peer.command("server", kind.isDelay(), List.of("--host", link.serverAddress(), "--listen", "0"));
        try (ChildProcess server = link.start(peer.label() + " server", LinkEmulator.SERVER_SIDE, serverCommand)) {
            String port = server.await("ready", TIMEOUT_SECONDS).path("port").asString();
            List<String> clientCommand = peer.command("client", kind.isDelay(), List.of("--host", link.serverAddress(), "--connect", port,
                "--warmup", Double.toString(warmupSeconds), "--seconds", Double.toString(seconds)));
            clientCommand.addAll(kind.clientOptions());
            try (ChildProcess client = link.start(peer.label() + " client", LinkEmulator.CLIENT_SIDE, clientCommand)) {
                client.await("measuring", TIMEOUT_SECONDS + (long) warmupSeconds);
                return kind.isDelay() ? delay(server, client) : goodput(server, client);
            }
        }
    }

    private LossyResult delay(ChildProcess server, ChildProcess client) throws InterruptedException {
        JsonNode before = link.counters();
        double sent = Json.number(client.await("result", TIMEOUT_SECONDS + (long) seconds), "sent");
        JsonNode after = link.counters();
        AtomicReference<JsonNode> delays = new AtomicReference<>(MissingNode.getInstance());
        LoadContext.poll(POLL_INTERVAL, DELIVERY_TIMEOUT, () -> {
            delays.set(server.ask("delay", TIMEOUT_SECONDS));
            return Json.number(delays.get(), "received") >= sent;
        });
        JsonNode last = delays.get();
        return result(before, after, Map.of("p50_ms", Json.number(last, "p50_ms"), "p90_ms", Json.number(last, "p90_ms"),
            "p99_ms", Json.number(last, "p99_ms"), "missing", sent - Json.number(last, "received")));
    }

    private LossyResult goodput(ChildProcess server, ChildProcess client) throws InterruptedException {
        JsonNode before = link.counters();
        JsonNode first = server.ask("mark", TIMEOUT_SECONDS);
        client.await("result", TIMEOUT_SECONDS + (long) seconds);
        JsonNode last = server.ask("mark", TIMEOUT_SECONDS);
        JsonNode after = link.counters();
        double mbPerSecond = Json.difference(first, last, "bytes") * 1e3 / Json.difference(first, last, "ns");
        return result(before, after, Map.of("mb_s", mbPerSecond, "missing", 0.0));
    }

    private static LossyResult result(JsonNode before, JsonNode after, Map<String, Double> values) {
        Map<String, Double> all = new HashMap<>(values);
        double ns = Json.difference(before, after, "ns");
        all.put("wire_mb_s", Json.difference(before.path("left_to_right"), after.path("left_to_right"), "bytes") * 1e3 / ns);
        all.put("stalled_ms_s", Json.difference(before, after, "stalled_ms") * 1e9 / ns);
        return new LossyResult(all);
    }
}
