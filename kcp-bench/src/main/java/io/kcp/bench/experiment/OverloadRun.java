package io.kcp.bench.experiment;

import static io.kcp.bench.experiment.EchoClients.sleep;
import static io.kcp.bench.experiment.EchoClients.sleepUntil;

import io.kcp.bench.ChildProcess;
import io.kcp.core.KcpStats;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Overloads one server with one event, and measures how it recovers. */
record OverloadRun(Contender contender, Peer peer, Pinning pinning, OverloadEvent event, OverloadOptions options, RunOptions run) {

    private static final int READY_SECONDS = 30;
    private static final int EXIT_SECONDS = 5;
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final double REHEARSAL_RECOVERY_SECONDS = 30;
    private static final double STRAGGLER_SECONDS = 10;
    private static final long POLL_INTERVAL_MS = 100;
    /** The median of the delay is normal if it is at most this many times the median before the event. */
    private static final double MAX_P50_FACTOR = 1.5;
    private static final double BACKLOG_FACTOR = 1.2;
    private static final double ADDED_SECONDS = 1;

    Map<Metric, Double> measure() throws InterruptedException, IOException {
        List<String> options = new ArrayList<>(List.of("--work", "echo", "--work-us", Integer.toString(this.options.workUs)));
        options.addAll(peer.isOurs() ? List.of("--mode", "MESSAGE") : List.of("--write-bytes", "64"));
        List<String> command = new ArrayList<>(pinning.server());
        command.addAll(peer.command(Peer.SERVER, contender, Layers.NONE, options));
        try (ChildProcess server = ChildProcess.start(contender.name() + " server", command)) {
            int port = Integer.parseInt(server.await("ready", READY_SECONDS).path("port").asString());
            Map<Metric, Double> values = measure(server, port);
            if (!server.isAlive()) {
                throw new IllegalStateException("the server exited");
            }
            server.end(EXIT_SECONDS);
            values.values().removeIf(value -> !Double.isFinite(value));
            return values;
        }
    }

    private Map<Metric, Double> measure(ChildProcess server, int port) throws InterruptedException, IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (EchoClients clients = new EchoClients(Layers.NONE, options.kcpGoClients, new InetSocketAddress(loopback, port), null);
            ServerSamples samples = new ServerSamples(server, peer.isOurs())) {
            clients.open(options.sessions, index -> new InetSocketAddress(loopback, 0));
            double saturation = clients.saturate(run.warmupSeconds, options.saturationSeconds);
            double rate = options.load * saturation;
            sleep(1);
            DelayTimeline timeline = clients.start(rate);
            sleep(options.settleSeconds);
            for (int i = 0; i < options.rehearsals; i++) {
                rehearse(clients, server, timeline, rate);
            }
            long quietNs = System.nanoTime();
            sleep(options.quietSeconds);
            SocketDrops dropsBefore = SocketDrops.ofPort(port);
            KcpStats clientsBefore = clients.counts();
            long startNs = System.nanoTime();
            DelayTimeline burst = happen(clients, server, rate);
            long endNs = System.nanoTime();
            sleepUntil(endNs + (long) (run.seconds * 1e9));
            long untilNs = System.nanoTime();
            poll(STRAGGLER_SECONDS, () -> !server.isAlive() || timeline.hasAllUntil(untilNs));
            samples.stop();

            DelayTimeline.Part quiet = timeline.part(quietNs, startNs);
            double recovery = timeline.medianRecoverySeconds(endNs, untilNs, MAX_P50_FACTOR * quiet.p50Ms());
            long recoveredNs = Double.isFinite(recovery) ? endNs + (long) (recovery * 1e9) : untilNs;
            int unserved = timeline.outstandingAt(endNs) + (burst == null ? 0 : burst.outstandingAt(endNs));
            Map<Metric, Double> values = new EnumMap<>(Metric.class);
            values.put(Metric.SATURATION_S, saturation);
            values.put(Metric.OFFERED_S, rate);
            values.put(Metric.QUIET_P50_MS, quiet.p50Ms());
            values.put(Metric.END_P50_MS, timeline.part(endNs - STEP_NS, endNs).p50Ms());
            values.put(Metric.RECOVERY_S, recovery);
            values.put(Metric.RECOVERY_LIMIT_S, BACKLOG_FACTOR * unserved / (saturation - rate) + ADDED_SECONDS);
            values.put(Metric.UNSERVED, (double) unserved);
            values.put(Metric.RETRANSMITTED_PERCENT, 100 * samples.retransmittedShare(startNs, recoveredNs));
            if (burst != null) {
                values.put(Metric.GOODPUT_PERCENT, 100 / saturation * (timeline.returnedBetween(startNs, endNs)
                    + burst.returnedBetween(startNs, endNs)) / ((endNs - startNs) / 1e9));
            }
            values.put(Metric.CLOSED_SESSIONS, (double) clients.closedSessions());
            values.put(Metric.LOST,
                (double) timeline.part(quietNs, untilNs).lost() + (burst == null ? 0 : burst.part(startNs, endNs).lost()));
            KcpStats sent = clients.counts();
            values.put(Metric.CLIENT_RETRANSMITTED_PERCENT, 100.0 * (sent.retransmissions() - clientsBefore.retransmissions())
                / Math.max(1, sent.datagramsOut() - clientsBefore.datagramsOut()));
            values.put(Metric.SOCKET_DROPS, (double) SocketDrops.ofPort(port).drops() - dropsBefore.drops());
            return values;
        }
    }

    /** Lets the event happen once and waits until all messages have returned, so that the code for overload is compiled. */
    private void rehearse(EchoClients clients, ChildProcess server, DelayTimeline timeline, double rate)
        throws InterruptedException, IOException {
        DelayTimeline burst = happen(clients, server, rate);
        long untilNs = System.nanoTime();
        poll(REHEARSAL_RECOVERY_SECONDS,
            () -> !server.isAlive() || timeline.hasAllUntil(untilNs) && (burst == null || burst.hasAllUntil(untilNs)));
        sleep(options.settleSeconds);
    }

    /** Lets the event happen. Returns the delays of the additional messages of a burst. */
    private @Nullable DelayTimeline happen(EchoClients clients, ChildProcess server, double rate)
        throws InterruptedException, IOException {
        if (event == OverloadEvent.BURST) {
            DelayTimeline burst = clients.burst(rate * (options.burstFactor - 1), options.burstSeconds);
            sleep(options.burstSeconds);
            return burst;
        }
        long startNs = System.nanoTime();
        signal("-STOP", server);
        try {
            sleepUntil(startNs + (long) (options.stopSeconds * 1e9));
        } finally {
            signal("-CONT", server);
        }
        return null;
    }

    private static void signal(String signal, ChildProcess server) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", signal, Long.toString(server.pid())).start().waitFor();
        if (status != 0) {
            throw new IllegalStateException("kill " + signal + " failed with status " + status);
        }
    }

    private static void poll(double seconds, BooleanSupplier condition) throws InterruptedException {
        long deadlineNs = System.nanoTime() + (long) (seconds * 1e9);
        while (!condition.getAsBoolean() && System.nanoTime() - deadlineNs < 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL_MS);
        }
    }
}
