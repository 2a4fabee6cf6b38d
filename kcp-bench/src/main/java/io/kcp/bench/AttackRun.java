package io.kcp.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs one attack against one server, and measures legitimate sessions before, during and after the attack. */
record AttackRun(AttackTarget target, AttackKind attack, AttackOptions options) {

    private static final int READY_SECONDS = 30;
    private static final int RESPONSE_SECONDS = 30;
    private static final Duration STRAGGLERS = Duration.ofSeconds(12);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final long MEMORY_INTERVAL_MS = 50;
    private static final int EXIT_SECONDS = 3;
    /**
     * Share of the attack's duration in which new sessions are opened, so that the last session can make a round trip before the attack
     * ends.
     */
    private static final double OPENING_SHARE = 0.8;
    private static final double BYTES_PER_MB = 1e6;

    AttackResult run() throws InterruptedException {
        try (ChildProcess server = ChildProcess.start(target.name() + " server", target.command(attack, options))) {
            String port = server.await("ready", READY_SECONDS).path("port").asString();
            AttackResult result = measure(server, new InetSocketAddress(target.host(), Integer.parseInt(port)));
            server.end(EXIT_SECONDS);
            return result;
        } catch (IllegalStateException | IOException failure) {
            return AttackResult.failed(target.name(), attack, maxSessions(), String.valueOf(failure.getMessage()));
        }
    }

    private AttackResult measure(ChildProcess server, InetSocketAddress address) throws InterruptedException, IOException {
        LoadOptions load = options.clientOptions(attack.layers());
        ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
        AtomicLong peakBytes = new AtomicLong();
        try (VictimFleet fleet = new VictimFleet(load, address, target.onlyConv())) {
            AttackVictims victims = fleet.open(options.sessions);
            DelayTimeline timeline = fleet.start(options.rate);
            try (AttackGenerator rehearsal = new AttackGenerator(attack, address, target.onlyConv(), victims, options)) {
                rehearsal.run(options.rehearsalSeconds);
            }
            try (AttackGenerator generator = new AttackGenerator(attack, address, target.onlyConv(), victims, options)) {
                generator.prepare();
                LoadContext.sleep(options.warmupSeconds);
                StolenTime start = StolenTime.now();
                long quietNs = System.nanoTime();
                LoadContext.sleep(options.quietSeconds);
                JsonNode before = server.ask("mark", RESPONSE_SECONDS);
                long rssBytes = server.residentBytes();
                watch.scheduleAtFixedRate(() -> watchMemory(server, peakBytes), 0, MEMORY_INTERVAL_MS, TimeUnit.MILLISECONDS);
                long startNs = System.nanoTime();
                generator.start(options.seconds);
                fleet.openNewcomers(options.newcomers, OPENING_SHARE * options.seconds);
                sleepUntil(startNs + (long) (options.seconds * 1e9));
                long endNs = System.nanoTime();
                JsonNode after = mark(server);
                sleepUntil(endNs + (long) (options.recoverySeconds * 1e9));
                long untilNs = System.nanoTime();
                LoadContext.poll(POLL_INTERVAL, STRAGGLERS,
                    () -> !server.isAlive() || timeline.hasAllUntil(untilNs) && fleet.openedNewcomers() == options.newcomers);
                AttackGenerator.Counts counts = generator.finish();
                DelayTimeline.Part all = timeline.part(quietNs, untilNs);
                DelayTimeline.Part quiet = timeline.part(quietNs, startNs);
                DelayTimeline.Part under = timeline.part(startNs, endNs);
                JsonNode stats = stats(server);
                double seconds = (endNs - startNs) / 1e9;
                return new AttackResult(target.name(), attack, all.sent(), all.lost(), timeline.duplicates(), fleet.closedSessions(),
                    quiet.p50Ms(), quiet.p99Ms(), under.p50Ms(), under.p99Ms(), options.newcomers, fleet.openedNewcomers(),
                    fleet.openingMs(options.newcomers, 0.95), (peakBytes.get() - rssBytes) / BYTES_PER_MB,
                    target.peakSessions(stats), maxSessions(), counts.reflection(), counts.worstReflection(),
                    timeline.recoverySeconds(endNs, untilNs, AttackResult.maxP99Ms(quiet.p99Ms())),
                    counts.sent() / seconds, after == null ? Double.NaN : Json.difference(before, after, "cpu_ms") / 1e3 / seconds,
                    start.percentUntilNow(), failure(server, peakBytes), stats);
            }
        } finally {
            watch.shutdownNow();
        }
    }

    /** Returns the counters of the server, or null if the server has exited because of the attack. */
    private static @Nullable JsonNode mark(ChildProcess server) throws InterruptedException {
        try {
            return server.ask("mark", RESPONSE_SECONDS);
        } catch (IllegalStateException ended) {
            return null;
        }
    }

    private @Nullable JsonNode stats(ChildProcess server) throws InterruptedException {
        String command = target.statsCommand();
        return command == null || !server.isAlive() ? null : server.ask(command, RESPONSE_SECONDS);
    }

    /** Kills a server that uses too much memory, so that the attack does not exhaust the memory of this machine. */
    private void watchMemory(ChildProcess server, AtomicLong peakBytes) {
        peakBytes.accumulateAndGet(server.residentBytes(), Math::max);
        if (peakBytes.get() > options.maxServerBytes()) {
            server.kill();
        }
    }

    private @Nullable String failure(ChildProcess server, AtomicLong peakBytes) {
        if (peakBytes.get() > options.maxServerBytes()) {
            return "the server was killed when it used more than " + options.maxServerMb + " MB";
        }
        return server.isAlive() ? null : "the server exited";
    }

    private int maxSessions() {
        return target.isOurs() ? options.maxSessions : 0;
    }

    private static void sleepUntil(long ns) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(ns - System.nanoTime());
    }
}
