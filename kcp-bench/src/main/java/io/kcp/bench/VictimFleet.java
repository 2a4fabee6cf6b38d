package io.kcp.bench;

import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Legitimate clients of a server that is attacked. Each client has its own address in 127.0.0.0/8. A fixed number of sessions sends
 * messages at a constant rate and measures the delay of the echoes. Further sessions are opened during the attack. All sessions run on one
 * event loop.
 */
final class VictimFleet implements AutoCloseable {

    private static final int MESSAGE_BYTES = 64;
    private static final int FLEET_NETWORK = 32;
    private static final int NEWCOMER_NETWORK = 33;
    private static final int HOSTS_PER_NETWORK = 250;
    /** Maximum number of messages per task, so that an event loop that is behind schedule can also read datagrams. */
    private static final int MAX_MESSAGES_PER_TASK = 64;
    private static final long LEAD_MS = 100;
    private static final Duration OPENING_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final LoadOptions options;
    private final InetSocketAddress server;
    private final @Nullable Integer onlyConv;
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final LoadContext load;
    private final List<TimestampedSession> sessions = new ArrayList<>();
    private final List<KcpChannel> channels = new ArrayList<>();
    private final ConcurrentLinkedQueue<Long> openingNs = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    /**
     * Creates clients without sessions.
     *
     * @param onlyConv the only conversation id that the server accepts, or null
     */
    VictimFleet(LoadOptions options, InetSocketAddress server, @Nullable Integer onlyConv) {
        this.onlyConv = onlyConv;
        this.options = options;
        this.server = server;
        group = options.newGroup();
        loop = group.next();
        Termination termination = new Termination();
        // Does not stop the measurement if an attack closes a session, because the messages of the session count as lost.
        termination.finish();
        load = new LoadContext(new WorkloadOptions(), new ClientSockets(options, group, server, 0), new LoadMeter(), termination,
            System.out);
    }

    /** Opens the sessions, and waits until each session has made one round trip. */
    AttackVictims open(int count) throws InterruptedException {
        AtomicInteger answered = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            TimestampedSession session = new TimestampedSession(load, MESSAGE_BYTES, false);
            channels.add(connect(session, FLEET_NETWORK, i).syncUninterruptibly().channel());
            sessions.add(session);
            firstRoundTrip(session, System.nanoTime(), answered::incrementAndGet);
        }
        LoadContext.poll(POLL_INTERVAL, OPENING_TIMEOUT, () -> answered.get() == count);
        if (answered.get() < count) {
            throw new IllegalStateException("only " + answered.get() + " of " + count + " sessions received an echo within "
                + OPENING_TIMEOUT.toSeconds() + " s");
        }
        return new AttackVictims(channels.stream().map(channel -> (InetSocketAddress) channel.parent().localAddress()).toList(),
            channels.stream().map(KcpChannel::conv).toList());
    }

    private KcpFuture<KcpChannel> connect(TimestampedSession session, int network, int index) {
        String host = "127." + network + '.' + index / HOSTS_PER_NETWORK + '.' + (1 + index % HOSTS_PER_NETWORK);
        KcpBootstrap client = options.newClient(group).socketOption(ChannelOption.SO_REUSEADDR, true)
            .localAddress(new InetSocketAddress(host, 0)).handler(session);
        return (onlyConv == null ? client : client.conv(onlyConv)).connect(server);
    }

    /** Sends a message and waits for its echo. Other inbound messages are ignored, because the server may send data first. */
    private void firstRoundTrip(TimestampedSession session, long timestampNs, Runnable returned) {
        session.onReturn(ns -> {
            if (ns == timestampNs) {
                returned.run();
            }
        });
        loop.execute(() -> session.send(timestampNs));
    }

    /** Sends messages in all sessions alternately and at equal intervals until the fleet is closed. */
    DelayTimeline start(double messagesPerSecond) {
        long intervalNs = (long) (TimeUnit.SECONDS.toNanos(1) / messagesPerSecond / sessions.size());
        DelayTimeline timeline = new DelayTimeline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MS), intervalNs);
        loop.execute(() -> {
            sessions.forEach(session -> session.onReturn(scheduledNs -> {
                if (scheduledNs != TimestampedSession.NOT_MEASURED) {
                    timeline.returned(scheduledNs, System.nanoTime());
                }
            }));
            sendDue(timeline);
        });
        return timeline;
    }

    private void sendDue(DelayTimeline timeline) {
        long dueNs = timeline.nextNs();
        for (int i = 0; i < MAX_MESSAGES_PER_TASK && dueNs - System.nanoTime() <= 0; i++) {
            sessions.get(timeline.sent(System.nanoTime()) % sessions.size()).send(dueNs);
            dueNs = timeline.nextNs();
        }
        if (!stopped) {
            loop.schedule(() -> sendDue(timeline), Math.max(1, dueNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    /** Opens new sessions at equal intervals during the given time. Each session makes one round trip and remains open. */
    void openNewcomers(int count, double seconds) {
        long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int index = i;
            long dueNs = startNs + (long) (i * seconds / count * TimeUnit.SECONDS.toNanos(1));
            loop.schedule(() -> {
                TimestampedSession session = new TimestampedSession(load, MESSAGE_BYTES, false);
                connect(session, NEWCOMER_NETWORK, index).addListener(opened -> {
                    if (opened.isSuccess()) {
                        firstRoundTrip(session, dueNs, () -> openingNs.add(System.nanoTime() - dueNs));
                    }
                });
            }, Math.max(1, dueNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    /** Returns the number of new sessions that have made a round trip. */
    int openedNewcomers() {
        return openingNs.size();
    }

    /**
     * Returns a percentile of the time from the planned opening of a new session until its first echo. Sessions without an echo count as
     * infinitely late.
     */
    double openingMs(int count, double quantile) {
        double[] ms = new double[count];
        Arrays.fill(ms, Double.POSITIVE_INFINITY);
        int index = 0;
        for (long ns : openingNs) {
            ms[index++] = ns / 1e6;
        }
        Arrays.sort(ms);
        return count == 0 ? Double.NaN : ms[Math.max(0, (int) Math.ceil(quantile * count) - 1)];
    }

    /** Returns the number of sessions of the fleet that are closed and therefore lost. */
    int closedSessions() {
        return (int) channels.stream().filter(channel -> !channel.isOpen()).count();
    }

    @Override
    public void close() {
        stopped = true;
        LoadClient.shutDown(group);
    }
}
