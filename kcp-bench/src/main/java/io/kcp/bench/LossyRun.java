package io.kcp.bench;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Measures one peer over one emulated link. */
final class LossyRun {

    private static final int TIMEOUT_SECONDS = 90;
    private static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    private final LossyPeer peer;
    private final LossyKind kind;
    private final LinkEmulator link;
    private final double warmupSeconds;
    private final double seconds;

    LossyRun(LossyPeer peer, LossyKind kind, LinkEmulator link, double warmupSeconds, double seconds) {
        this.peer = peer;
        this.kind = kind;
        this.link = link;
        this.warmupSeconds = warmupSeconds;
        this.seconds = seconds;
    }

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
        double bytes = Json.number(last, "bytes") - Json.number(first, "bytes");
        double ns = Json.number(last, "ns") - Json.number(first, "ns");
        return result(before, after, Map.of("mb_s", bytes * 1e3 / ns, "missing", 0.0));
    }

    private static LossyResult result(JsonNode before, JsonNode after, Map<String, Double> values) {
        Map<String, Double> all = new HashMap<>(values);
        double ns = Json.number(after, "ns") - Json.number(before, "ns");
        double bytes = Json.number(after.path("left_to_right"), "bytes") - Json.number(before.path("left_to_right"), "bytes");
        all.put("wire_mb_s", bytes * 1e3 / ns);
        all.put("stalled_ms_s", (Json.number(after, "stalled_ms") - Json.number(before, "stalled_ms")) * 1e9 / ns);
        return new LossyResult(all);
    }
}
