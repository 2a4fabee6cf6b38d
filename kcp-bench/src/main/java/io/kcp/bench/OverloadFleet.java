package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Clients of {@link Overload}. Each session has a socket of its own, and all sessions run on one event loop. The clients first saturate the
 * server, and then send messages at a constant rate to which a burst can be added. They never wait for the server.
 */
final class OverloadFleet implements AutoCloseable {

    private static final int MESSAGE_BYTES = 64;
    /** Maximum number of messages per task, so that an event loop that is behind schedule can also read datagrams. */
    private static final int MAX_MESSAGES_PER_TASK = 64;
    private static final long LEAD_MS = 100;
    /**
     * Time between an echo and the next message of the session while the clients saturate the server. It separates the acknowledgement of
     * the echo from the next message, so that a message needs as many datagrams as at a constant rate.
     */
    private static final long THINK_US = 500;
    /** The lowest bit of a timestamp marks the messages of the burst. */
    private static final int BURST = 1;

    private final MultiThreadIoEventLoopGroup group;
    private final LoadContext load;
    private final List<TimestampedSession> sessions = new ArrayList<>();
    private final LongAdder echoes = new LongAdder();
    private volatile boolean stopped;
    private volatile boolean saturating;
    private volatile @Nullable DelayTimeline burst;
    private volatile long burstEndNs;

    OverloadFleet(LoadOptions options, InetSocketAddress server) {
        group = options.newGroup();
        Termination termination = new Termination();
        // A session that closes counts as lost instead of stopping the measurement.
        termination.finish();
        load = new LoadContext(new WorkloadOptions(), new ClientSockets(options, group, server, 0), new LoadMeter(), termination,
            System.out);
    }

    /** Opens the sessions, and waits until each has made one round trip. */
    void open(int count) throws InterruptedException {
        new SessionOpener(load).open(count, MESSAGE_BYTES, sessions::add);
    }

    private EventLoop loop() {
        return sessions.get(0).eventLoop();
    }

    /** Lets each session wait for the echo before it sends the next message, and returns the number of echoes per second. */
    double saturate(double warmupSeconds, double seconds) throws InterruptedException {
        saturating = true;
        loop().execute(() -> sessions.forEach(session -> {
            session.onReturn(timestampNs -> {
                echoes.increment();
                if (saturating) {
                    loop().schedule(() -> session.send(BURST), THINK_US, TimeUnit.MICROSECONDS);
                }
            });
            session.send(BURST);
        }));
        LoadContext.sleep(warmupSeconds);
        long startNs = System.nanoTime();
        long before = echoes.sum();
        LoadContext.sleep(seconds);
        double perSecond = (echoes.sum() - before) / ((System.nanoTime() - startNs) / 1e9);
        saturating = false;
        return perSecond;
    }

    /** Starts to send messages in all sessions alternately and at equal intervals, until the fleet is closed. */
    DelayTimeline start(double messagesPerSecond) {
        DelayTimeline timeline = newTimeline(messagesPerSecond);
        loop().execute(() -> {
            sessions.forEach(session -> session.onReturn(stamp -> returned(timeline, stamp)));
            sendDue(timeline);
        });
        return timeline;
    }

    private static DelayTimeline newTimeline(double messagesPerSecond) {
        long intervalNs = (long) (TimeUnit.SECONDS.toNanos(1) / messagesPerSecond);
        return new DelayTimeline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MS), intervalNs);
    }

    private void returned(DelayTimeline timeline, long stamp) {
        DelayTimeline extra = burst;
        DelayTimeline own = (stamp & BURST) == 0 ? timeline : extra;
        // Ignores late echoes of the saturation phase, whose stamps contain no send time.
        if (own != null && stamp > BURST) {
            own.returned(stamp >> 1, System.nanoTime());
        }
    }

    /** Sends additional messages at the given rate until the given time. */
    DelayTimeline burst(double messagesPerSecond, double seconds) {
        DelayTimeline extra = newTimeline(messagesPerSecond);
        burstEndNs = extra.nextNs() + (long) (seconds * 1e9);
        burst = extra;
        loop().execute(() -> sendBurst(extra));
        return extra;
    }

    private void sendDue(DelayTimeline timeline) {
        send(timeline, 0, Long.MAX_VALUE);
        if (!stopped) {
            loop().schedule(() -> sendDue(timeline), Math.max(1, timeline.nextNs() - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void sendBurst(DelayTimeline extra) {
        send(extra, BURST, burstEndNs);
        if (!stopped && extra.nextNs() - burstEndNs < 0) {
            loop().schedule(() -> sendBurst(extra), Math.max(1, extra.nextNs() - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void send(DelayTimeline timeline, int mark, long endNs) {
        long nowNs = System.nanoTime();
        for (int i = 0; i < MAX_MESSAGES_PER_TASK; i++) {
            long dueNs = timeline.nextNs();
            if (dueNs - nowNs > 0 || dueNs >= endNs) {
                return;
            }
            TimestampedSession session = sessions.get(timeline.sent(nowNs) % sessions.size());
            session.send(dueNs << 1 | mark);
        }
    }

    /** Returns the number of closed sessions. */
    int closedSessions() {
        return (int) sessions.stream().filter(session -> !session.context().channel().isOpen()).count();
    }

    /** Returns the counters of the open sessions together. */
    SessionCounts counts() {
        return SessionCounts.of(sessions.stream().map(session -> (KcpChannel) session.context().channel()).toList());
    }

    @Override
    public void close() {
        stopped = true;
        LoadClient.shutDown(group);
    }
}
