package io.kcp.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Overloads one server with one event, and measures how it recovers. */
record OverloadRun(Peer peer, Pinning pinning, OverloadEvent event, OverloadOptions options) {

    private static final int READY_SECONDS = 30;
    private static final int EXIT_SECONDS = 5;
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration REHEARSAL_RECOVERY = Duration.ofSeconds(30);
    private static final Duration STRAGGLERS = Duration.ofSeconds(10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    OverloadResult run() throws InterruptedException {
        try (ChildProcess server = ChildProcess.start(peer.name() + " server", command())) {
            int port = Integer.parseInt(server.await("ready", READY_SECONDS).path("port").asString());
            OverloadResult result = measure(server, port);
            server.end(EXIT_SECONDS);
            return result;
        } catch (IllegalStateException | IOException failure) {
            return OverloadResult.failed(peer.name(), event, String.valueOf(failure.getMessage()));
        }
    }

    private List<String> command() {
        List<String> common = new ArrayList<>(List.of("--work", "echo", "--work-us", Integer.toString(options.workUs)));
        common.addAll(peer.reportsStats() ? List.of("--mode", "MESSAGE") : List.of("--write-bytes", "64"));
        List<String> command = new ArrayList<>(pinning.server());
        command.addAll(peer.command("server", List.of(), common, new WireLayers()));
        return command;
    }

    private OverloadResult measure(ChildProcess server, int port) throws InterruptedException, IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (OverloadFleet fleet = new OverloadFleet(options.clientOptions(), address);
            ServerSamples samples = new ServerSamples(server, peer.reportsStats())) {
            fleet.open(options.sessions);
            StolenTime start = StolenTime.now();
            double saturation = fleet.saturate(options.warmupSeconds, options.saturationSeconds);
            double rate = options.load * saturation;
            LoadContext.sleep(1);
            DelayTimeline timeline = fleet.start(rate);
            LoadContext.sleep(options.settleSeconds);
            for (int i = 0; i < options.rehearsals; i++) {
                rehearse(fleet, server, timeline, rate);
            }
            long quietNs = System.nanoTime();
            LoadContext.sleep(options.quietSeconds);
            SocketDrops dropsBefore = SocketDrops.ofPort(port);
            SessionCounts clientsBefore = fleet.counts();
            long startNs = System.nanoTime();
            DelayTimeline burst = event == OverloadEvent.BURST ? burst(fleet, rate) : stop(server, startNs);
            long endNs = System.nanoTime();
            sleepUntil(endNs + (long) (options.recoverySeconds * 1e9));
            long untilNs = System.nanoTime();
            LoadContext.poll(POLL_INTERVAL, STRAGGLERS, () -> !server.isAlive() || timeline.hasAllUntil(untilNs));
            samples.stop();

            DelayTimeline.Part quiet = timeline.part(quietNs, startNs);
            double recovery = timeline.medianRecoverySeconds(endNs, untilNs, OverloadResult.MAX_P50_FACTOR * quiet.p50Ms());
            long recoveredNs = Double.isFinite(recovery) ? endNs + (long) (recovery * 1e9) : untilNs;
            int unserved = timeline.outstandingAt(endNs) + (burst == null ? 0 : burst.outstandingAt(endNs));
            double goodput = burst == null ? Double.NaN
                : (timeline.returnedBetween(startNs, endNs) + burst.returnedBetween(startNs, endNs)) / ((endNs - startNs) / 1e9);
            int lost = timeline.part(quietNs, untilNs).lost() + (burst == null ? 0 : burst.part(startNs, endNs).lost());
            SessionCounts clients = fleet.counts();
            return new OverloadResult(peer.name(), event, saturation, rate, quiet.p50Ms(),
                timeline.part(endNs - STEP_NS, endNs).p50Ms(), recovery, unserved,
                samples.retransmittedShare(startNs, recoveredNs), goodput, fleet.closedSessions(), lost,
                (double) (clients.counters().retransmissions() - clientsBefore.counters().retransmissions())
                    / Math.max(1, clients.counters().datagramsOut() - clientsBefore.counters().datagramsOut()),
                SocketDrops.ofPort(port).drops() - dropsBefore.drops(), start.percentUntilNow(),
                series(timeline, quietNs, untilNs, startNs),
                server.isAlive() ? null : "the server exited");
        }
    }

    /** Lets the event happen once and waits until all messages have returned, so that the code for overload is compiled. */
    private void rehearse(OverloadFleet fleet, ChildProcess server, DelayTimeline timeline, double rate)
        throws InterruptedException, IOException {
        DelayTimeline burst = event == OverloadEvent.BURST ? burst(fleet, rate) : stop(server, System.nanoTime());
        long untilNs = System.nanoTime();
        LoadContext.poll(POLL_INTERVAL, REHEARSAL_RECOVERY,
            () -> !server.isAlive() || timeline.hasAllUntil(untilNs) && (burst == null || burst.hasAllUntil(untilNs)));
        LoadContext.sleep(options.settleSeconds);
    }

    private DelayTimeline burst(OverloadFleet fleet, double rate) throws InterruptedException {
        DelayTimeline burst = fleet.burst(rate * (options.burstFactor - 1), options.burstSeconds);
        LoadContext.sleep(options.burstSeconds);
        return burst;
    }

    private @Nullable DelayTimeline stop(ChildProcess server, long startNs)
        throws InterruptedException, IOException {
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

    /** Returns the median of the delay in steps, with the time of each step relative to the start of the event. */
    private static List<OverloadResult.Point> series(DelayTimeline timeline, long fromNs, long untilNs, long startNs) {
        List<OverloadResult.Point> points = new ArrayList<>();
        for (long ns = fromNs; ns + STEP_NS <= untilNs; ns += STEP_NS) {
            points.add(new OverloadResult.Point((ns - startNs) / 1e9, timeline.part(ns, ns + STEP_NS).p50Ms()));
        }
        return points;
    }

    private static void sleepUntil(long ns) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(ns - System.nanoTime());
    }
}
