package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Reads the number of sent datagrams and of retransmitted segments from a server several times per second. While the server is stopped, the
 * samples are missing.
 */
final class ServerSamples implements AutoCloseable {

    /** Counters of the server at one time. */
    private record Sample(long ns, double sent, double retransmitted) {
    }

    private static final long INTERVAL_MS = 200;
    private static final int RESPONSE_SECONDS = 60;

    private final ChildProcess server;
    private final boolean ours;
    private final List<Sample> samples = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "server samples");

    ServerSamples(ChildProcess server, boolean ours) {
        this.server = server;
        this.ours = ours;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            do {
                JsonNode stats = server.ask("stats", RESPONSE_SECONDS);
                JsonNode counters = ours ? stats : stats.path("snmp");
                Sample sample = new Sample(System.nanoTime(), Json.number(counters, ours ? "datagrams_out" : "OutPkts"),
                    Json.number(counters, ours ? "retransmissions" : "RetransSegs"));
                synchronized (samples) {
                    samples.add(sample);
                }
            } while (!stopping.await(INTERVAL_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException | IllegalStateException ended) {
            // The server has exited. The samples so far remain valid.
        }
    }

    /** Returns the share of retransmissions in the datagrams that the server has sent in a period, or NaN if it is not known. */
    double retransmittedShare(long fromNs, long untilNs) {
        synchronized (samples) {
            Sample before = samples.stream().filter(sample -> sample.ns <= fromNs).reduce((first, second) -> second).orElse(null);
            Sample after = samples.stream().filter(sample -> sample.ns >= untilNs).findFirst()
                .orElse(samples.isEmpty() ? null : samples.get(samples.size() - 1));
            return before == null || after == null ? Double.NaN
                : (after.retransmitted - before.retransmitted) / Math.max(1, after.sent - before.sent);
        }
    }

    /** Waits for the last sample. Afterwards, another thread may send commands to the server. */
    void stop() throws InterruptedException {
        stopping.countDown();
        thread.join();
    }

    @Override
    public void close() {
        stopping.countDown();
        thread.interrupt();
    }
}
