package io.kcp.bench;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.node.ObjectNode;

/**
 * Workload in which many sessions send messages at a fixed rate. The messages are distributed evenly over time. Delays are measured from
 * the scheduled send time, so that a stall counts for every message that it delays (no coordinated omission). The client measures the delay
 * of the echo. With {@code oneWay}, the server measures the delay of delivery.
 */
final class FleetWorkload implements LoadClient.Workload {

    private static final int DEFAULT_SESSIONS = 1_000;
    private static final long LEAD_MS = 100;
    private static final Duration LAST_MESSAGES_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final LoadContext load;
    private final boolean oneWay;
    private final int messageBytes;
    private final SessionOpener opener;
    private final List<TimestampedSession> sessions = new ArrayList<>();

    FleetWorkload(LoadContext load, boolean oneWay) {
        this.load = load;
        this.oneWay = oneWay;
        messageBytes = load.options.messageBytes();
        opener = new SessionOpener(load);
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        WorkloadOptions options = load.options;
        int count = options.sessionsOr(oneWay ? 1 : DEFAULT_SESSIONS);
        open(count);
        long startNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MS);
        long measuredNs = startNs + (long) (options.warmupSeconds * 1e9);
        long endNs = measuredNs + (long) (options.seconds * 1e9);
        List<FleetPacer> pacers = start(startNs, new FleetPacer.Schedule((long) (1e9 / options.rate), measuredNs, endNs, oneWay));
        sleepUntil(measuredNs);
        LoadContext.Interval interval = load.measureDuring(() -> sleepUntil(endNs));
        // Messages that have not arrived when this timeout expires are counted as lost.
        LoadContext.poll(POLL_INTERVAL, LAST_MESSAGES_TIMEOUT,
            () -> pacers.stream().allMatch(oneWay ? FleetPacer::hasSentAll : FleetPacer::hasReceivedAll));
        long sent = pacers.stream().mapToLong(FleetPacer::sent).sum();
        ObjectNode result = Json.event("result").put("work", oneWay ? "delay" : "fleet").put("sessions", count)
            .put("idle_sessions", options.idleSessions).put("sockets", load.sockets.count()).put("sent", sent)
            .put("sent_s", sent / options.seconds);
        if (oneWay) {
            SessionCounts counts = load.counts();
            result.put("datagrams_out", counts.counters().datagramsOut()).put("retransmissions", counts.counters().retransmissions());
        } else {
            Histogram delaysNs = new Histogram(3);
            pacers.forEach(pacer -> delaysNs.add(pacer.delaysNs()));
            LoadMeter.addPercentiles(result.put("received", delaysNs.getTotalCount()), delaysNs, "us");
        }
        return interval.addTo(result);
    }

    private void open(int count) throws InterruptedException {
        if (oneWay) {
            for (int i = 0; i < count; i++) {
                TimestampedSession session = new TimestampedSession(load, messageBytes, false);
                sessions.add(session);
                load.openCounted(session);
            }
        } else {
            opener.open(count, messageBytes, sessions::add);
            opener.open(count + load.options.idleSessions, IdleWorkload.MESSAGE_BYTES, session -> { });
        }
    }

    private List<FleetPacer> start(long startNs, FleetPacer.Schedule schedule) {
        Map<EventLoop, List<FleetPacer.Slot>> byLoop = new LinkedHashMap<>();
        int index = 0;
        for (TimestampedSession session : sessions) {
            long firstNs = startNs + schedule.periodNs() * index++ / sessions.size();
            byLoop.computeIfAbsent(session.eventLoop(), any -> new ArrayList<>()).add(new FleetPacer.Slot(session, firstNs));
        }
        List<FleetPacer> pacers = new ArrayList<>();
        byLoop.forEach((loop, slots) -> {
            FleetPacer pacer = new FleetPacer(loop, slots, schedule);
            pacers.add(pacer);
            loop.execute(pacer);
        });
        return pacers;
    }

    private static void sleepUntil(long ns) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(ns - System.nanoTime());
    }
}
