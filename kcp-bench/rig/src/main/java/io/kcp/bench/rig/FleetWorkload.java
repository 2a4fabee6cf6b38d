package io.kcp.bench.rig;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Workload in which many sessions send messages at a fixed rate. The messages are distributed evenly over time. Delays are measured from
 * the scheduled send time, so that a stall counts for every message that it delays (no coordinated omission). The client measures the delay
 * of the echo. With {@link Work#DELAY}, the server measures the delay of delivery.
 */
final class FleetWorkload implements Workload {

    private static final long LEAD_MS = 100;
    private static final long OPENING_SECONDS = 60;
    private static final Duration LAST_MESSAGES_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final Load load;
    private final boolean oneWay;
    private final int messageBytes;
    private final List<TimedSession> sessions = new ArrayList<>();

    FleetWorkload(Load load) {
        this.load = load;
        oneWay = load.setup().work() == Work.DELAY;
        messageBytes = load.setup().writeBytes();
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        WorkloadOptions options = load.options();
        int count = options.sessions(load.setup().work());
        open(count);
        long startNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MS);
        long measuredNs = startNs + (long) (options.warmupSeconds * 1e9);
        long endNs = measuredNs + (long) (options.seconds * 1e9);
        List<FleetPacer> pacers =
            start(startNs, new FleetPacer.Schedule((long) (1e9 / options.rate(load.setup().work())), measuredNs, endNs, oneWay));
        sleepUntil(measuredNs);
        Load.Interval interval = load.measureDuring(() -> sleepUntil(endNs));
        // Messages that have not arrived when this timeout expires are counted as lost.
        Waiting.poll(POLL_INTERVAL, LAST_MESSAGES_TIMEOUT,
            () -> pacers.stream().allMatch(oneWay ? FleetPacer::hasSentAll : FleetPacer::hasReceivedAll));
        long sent = pacers.stream().mapToLong(FleetPacer::sent).sum();
        ObjectNode result = Events.event("result").put("work", oneWay ? "delay" : "fleet").put("sessions", count)
            .put("idle_sessions", options.idleSessions).put("sockets", load.protocol().sockets(count + options.idleSessions))
            .put("sent", sent).put("sent_s", sent / options.seconds);
        if (oneWay) {
            addStats(result, load.protocol().stats());
        } else {
            Histogram delaysNs = new Histogram(3);
            pacers.forEach(pacer -> delaysNs.add(pacer.delaysNs()));
            Events.addMicroseconds(result.put("received", delaysNs.getTotalCount()), delaysNs);
        }
        return interval.addTo(result);
    }

    private static void addStats(ObjectNode result, @Nullable ObjectNode stats) {
        if (stats != null) {
            result.set("datagrams_out", stats.path("datagrams_out"));
            result.set("retransmissions", stats.path("retransmissions"));
        }
    }

    private void open(int count) throws InterruptedException {
        if (oneWay) {
            CountDownLatch opened = new CountDownLatch(count);
            for (int i = 0; i < count; i++) {
                TimedSession session = new TimedSession(load, messageBytes).onOpen(opened::countDown);
                sessions.add(session);
                load.connect(session);
            }
            if (!opened.await(OPENING_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(opened.getCount() + " sessions did not open within " + OPENING_SECONDS + " s");
            }
        } else {
            SessionOpener opener = new SessionOpener(load);
            opener.open(count, messageBytes, sessions::add);
            opener.open(count + load.options().idleSessions, IdleWorkload.MESSAGE_BYTES, session -> { });
        }
    }

    /** Schedules the messages of each session on its event loop, because a write from another thread would wake the event loop. */
    private List<FleetPacer> start(long startNs, FleetPacer.Schedule schedule) {
        Map<ScheduledExecutorService, List<FleetPacer.Slot>> byLoop = new LinkedHashMap<>();
        ScheduledExecutorService common = null;
        int index = 0;
        for (TimedSession session : sessions) {
            long firstNs = startNs + schedule.periodNs() * index++ / sessions.size();
            ScheduledExecutorService loop = session.loop();
            if (loop == null) {
                common = common != null ? common : Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("pacer", true));
                loop = common;
            }
            byLoop.computeIfAbsent(loop, any -> new ArrayList<>()).add(new FleetPacer.Slot(session, firstNs));
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
