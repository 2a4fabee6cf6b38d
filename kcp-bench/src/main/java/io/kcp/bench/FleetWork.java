package io.kcp.bench;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Many sessions, each of which sends a message now and then; all of them evenly in time. The delay of a message begins
 * when it should have been sent, so that a client or server that stalls does not hide what it delayed.
 */
final class FleetWork implements ClientWork {

    private static final int SESSIONS = 1_000;
    private static final double NS_PER_US = 1_000;
    private static final long HEAD_START_MS = 100;
    private static final double STRAGGLERS_SECONDS = 10;
    private static final double POLL_SECONDS = 0.02;

    private final LoadRun run;
    private final SessionCrowd crowd;
    private final ConcurrentLinkedQueue<FleetSession> opened = new ConcurrentLinkedQueue<>();

    FleetWork(LoadRun run) {
        this.run = run;
        crowd = new SessionCrowd(run);
    }

    @Override
    public JsonLine run() {
        WorkOptions options = run.options;
        int sessions = options.sessions(SESSIONS);
        crowd.open(sessions, () -> {
            FleetSession session = new FleetSession(run, crowd);
            opened.add(session);
            return session;
        });
        crowd.open(sessions + options.idleSessions, () -> new IdleWork.Idle(run, crowd));
        long startNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HEAD_START_MS);
        long measuredNs = startNs + (long) (options.warmupSeconds * 1e9);
        long endNs = measuredNs + (long) (options.seconds * 1e9);
        List<FleetPacer> pacers = start(startNs, measuredNs, endNs);
        pauseUntil(measuredNs);
        LoadRun.Interval interval = run.measureNow(() -> pauseUntil(endNs));
        awaitStragglers(pacers);
        Histogram delaysNs = new Histogram(3);
        pacers.forEach(pacer -> delaysNs.add(pacer.delaysNs()));
        return interval.addTo(result(JsonLine.event("result").put("work", "fleet").put("sessions", sessions)
            .put("idle_sessions", options.idleSessions).put("sockets", run.sockets.count())
            .put("sent", sum(pacers)).put("sent_s", sum(pacers) / options.seconds), delaysNs));
    }

    private List<FleetPacer> start(long startNs, long measuredNs, long endNs) {
        Map<EventLoop, List<FleetPacer.Slot>> byLoop = new LinkedHashMap<>();
        long periodNs = (long) (1e9 / run.options.rate);
        int index = 0;
        for (FleetSession session : opened) {
            long phaseNs = periodNs * index++ / opened.size();
            byLoop.computeIfAbsent(session.eventLoop(), any -> new ArrayList<>()).add(new FleetPacer.Slot(session, startNs + phaseNs));
        }
        List<FleetPacer> pacers = new ArrayList<>();
        byLoop.forEach((loop, slots) -> {
            FleetPacer pacer = new FleetPacer(loop, slots, periodNs, measuredNs, endNs);
            pacers.add(pacer);
            loop.execute(pacer);
        });
        return pacers;
    }

    private void pauseUntil(long ns) {
        run.end.pause(Math.max(0, ns - System.nanoTime()) / 1e9);
    }

    /** What was sent in the measured time comes back after it. */
    private void awaitStragglers(List<FleetPacer> pacers) {
        long deadlineNs = System.nanoTime() + (long) (STRAGGLERS_SECONDS * 1e9);
        run.end.pause(POLL_SECONDS);
        while (System.nanoTime() < deadlineNs && pacers.stream().anyMatch(FleetPacer::isWaiting)) {
            run.end.pause(POLL_SECONDS);
        }
    }

    private static long sum(List<FleetPacer> pacers) {
        return pacers.stream().mapToLong(FleetPacer::sent).sum();
    }

    private static JsonLine result(JsonLine line, Histogram ns) {
        return line.put("received", ns.getTotalCount()).put("p50_us", ns.getValueAtPercentile(50) / NS_PER_US)
            .put("p90_us", ns.getValueAtPercentile(90) / NS_PER_US).put("p99_us", ns.getValueAtPercentile(99) / NS_PER_US)
            .put("p999_us", ns.getValueAtPercentile(99.9) / NS_PER_US).put("max_us", ns.getMaxValue() / NS_PER_US);
    }
}
