package io.kcp.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One peer, one kind, over one link. */
final class LossyRun {

    private static final int START_SECONDS = 90;
    private static final long DRAIN_MS = 20_000;
    private static final long POLL_MS = 200;

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
        List<String> program = kind.isDelay() ? peer.delay() : peer.load();
        List<String> serving = new ArrayList<>(program);
        serving.addAll(List.of("server", "--host", link.serverAddress(), "--listen", "0"));
        serving.addAll(peer.options());
        serving.addAll(kind.isDelay() ? peer.work() : List.of("--work", "sink"));
        try (ChildProcess server = link.startServer(peer.label() + " server", serving)) {
            long port = (long) JsonLine.number(server.await("ready", START_SECONDS), "port");
            List<String> sending = new ArrayList<>(program);
            sending.addAll(List.of("client", "--host", link.serverAddress(), "--connect", Long.toString(port),
                "--warmup", Double.toString(warmupSeconds), "--seconds", Double.toString(seconds)));
            sending.addAll(peer.options());
            sending.addAll(kind.isDelay() ? peer.work() : List.of("--work", "source"));
            sending.addAll(kind.clientOptions());
            try (ChildProcess client = link.startClient(peer.label() + " client", sending)) {
                client.await("measuring", START_SECONDS + (long) warmupSeconds);
                return kind.isDelay() ? delay(server, client) : goodput(server, client);
            }
        }
    }

    private LossyResult delay(ChildProcess server, ChildProcess client) throws InterruptedException {
        LinkEmulator.Counters before = link.counters();
        long sent = (long) JsonLine.number(client.await("result", START_SECONDS + (long) seconds), "sent");
        LinkEmulator.Counters after = link.counters();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MS);
        String line = ask(server, "delay");
        while (JsonLine.number(line, "received") < sent && System.nanoTime() - deadlineNs < 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
            line = ask(server, "delay");
        }
        return new LossyResult(JsonLine.number(line, "p50_ms"), JsonLine.number(line, "p90_ms"),
            JsonLine.number(line, "p99_ms"), Double.NaN, after.wireMegabytesPerSecondSince(before),
            sent - JsonLine.number(line, "received"), after.stalledMsPerSecondSince(before));
    }

    private LossyResult goodput(ChildProcess server, ChildProcess client) {
        LinkEmulator.Counters before = link.counters();
        String first = ask(server, "mark");
        client.await("result", START_SECONDS + (long) seconds);
        String last = ask(server, "mark");
        LinkEmulator.Counters after = link.counters();
        double bytes = JsonLine.number(last, "bytes") - JsonLine.number(first, "bytes");
        double ns = JsonLine.number(last, "ns") - JsonLine.number(first, "ns");
        return new LossyResult(Double.NaN, Double.NaN, Double.NaN, bytes * 1e3 / ns,
            after.wireMegabytesPerSecondSince(before), 0, after.stalledMsPerSecondSince(before));
    }

    private static String ask(ChildProcess server, String question) {
        server.tell(question);
        return server.await(question, START_SECONDS);
    }
}
