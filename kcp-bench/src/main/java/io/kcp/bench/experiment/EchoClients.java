package io.kcp.bench.experiment;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpStats;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Clients of an echo server. They use this library in message mode, and each session has a socket of its own. All sessions run on one event
 * loop in this process. They either wait for each echo, or send messages at a constant rate without waiting for the server.
 */
final class EchoClients implements AutoCloseable {

    /** Kinds of messages at a constant rate, which are measured separately. */
    enum Stream { NORMAL, BURST }

    /** Maximum number of messages per task, so that an event loop that is behind schedule can also read datagrams. */
    private static final int MAX_MESSAGES_PER_TASK = 64;
    private static final int MAX_UNANSWERED = 256;
    private static final long OPENING_SECONDS = 30;
    private static final long LEAD_MS = 100;
    private static final int WINDOW_SEGMENTS = 1_024;
    private static final int INTERVAL_MS = 10;
    private static final int FAST_RESEND = 2;
    private static final int MTU_BYTES = 1_400;
    private static final String PASSWORD = "bench";
    /**
     * Time between an echo and the next message of the session while the clients saturate the server. It separates the acknowledgement of
     * the echo from the next message, so that a message needs as many datagrams as at a constant rate.
     */
    private static final long THINK_US = 500;

    private final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
    private final EventLoop loop = group.next();
    private final KcpConfig config;
    private final Layers layers;
    private final @Nullable Integer onlyConv;
    private final InetSocketAddress server;
    private final List<EchoSession> sessions = new ArrayList<>();
    private final List<KcpChannel> channels = new ArrayList<>();
    private final AtomicReferenceArray<@Nullable DelayTimeline> timelines = new AtomicReferenceArray<>(Stream.values().length);
    private final LongAdder echoes = new LongAdder();
    private volatile boolean saturating;
    private volatile boolean stopped;

    /**
     * Creates clients without sessions.
     *
     * @param kcpGoTiming whether the clients use the timeouts and acknowledgements of kcp-go
     * @param onlyConv    the only conversation id that the server accepts, or null
     */
    EchoClients(Layers layers, boolean kcpGoTiming, InetSocketAddress server, @Nullable Integer onlyConv) {
        this.server = server;
        this.layers = layers;
        this.onlyConv = onlyConv;
        KcpConfigBuilder builder = kcpGoTiming ? KcpConfig.kcpGoCompatible().toBuilder() : KcpConfig.builder();
        config = builder.noDelay(true, INTERVAL_MS, FAST_RESEND, CongestionAlgorithm.NONE).windows(WINDOW_SEGMENTS)
            .mtuBytes(MTU_BYTES).mode(KcpTransferMode.MESSAGE).ackNoDelay(!kcpGoTiming).build();
    }

    /** Returns the cipher of a server with these layers, or null. */
    static @Nullable CryptoConfig crypto(Layers layers) {
        return layers.cipher() == null ? null : CryptoConfig.kcptun(layers.cipher(), PASSWORD);
    }

    EventLoop loop() {
        return loop;
    }

    /** Returns the channels of the sessions that {@link #open} opened. */
    List<KcpChannel> channels() {
        return channels;
    }

    /**
     * Opens sessions, and waits until each has made one round trip.
     *
     * @param localAddresses the local address of each session
     */
    void open(int count, IntFunction<InetSocketAddress> localAddresses) throws InterruptedException {
        Semaphore permits = new Semaphore(MAX_UNANSWERED);
        for (int i = 0; i < count; i++) {
            acquire(permits, 1);
            EchoSession session = new EchoSession(permits::release);
            channels.add(connect(session, localAddresses.apply(i)));
            sessions.add(session);
        }
        acquire(permits, MAX_UNANSWERED);
    }

    private static void acquire(Semaphore permits, int count) throws InterruptedException {
        if (!permits.tryAcquire(count, OPENING_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the server did not respond to " + (MAX_UNANSWERED - permits.availablePermits())
                + " sessions within " + OPENING_SECONDS + " s");
        }
    }

    KcpChannel connect(EchoSession session, InetSocketAddress localAddress) {
        KcpBootstrap client = new KcpBootstrap().group(group).option(KcpChannelOption.KCP_CONFIG, config).crypto(crypto(layers))
            .fec(layers.fec() == null ? null : FecConfig.of(FecShape.parse(layers.fec())))
            .socketOption(ChannelOption.SO_REUSEADDR, true).localAddress(localAddress).handler(session);
        return (onlyConv == null ? client : client.conv(onlyConv)).connect(server).channel();
    }

    /** Lets each session wait for the echo before it sends the next message, and returns the number of echoes per second. */
    double saturate(double warmupSeconds, double seconds) throws InterruptedException {
        saturating = true;
        loop.execute(() -> sessions.forEach(session -> {
            session.onReturn(number -> {
                echoes.increment();
                if (saturating) {
                    loop.schedule(() -> session.send(EchoSession.FIRST + 1), THINK_US, TimeUnit.MICROSECONDS);
                }
            });
            session.send(EchoSession.FIRST + 1);
        }));
        sleep(warmupSeconds);
        long startNs = System.nanoTime();
        long before = echoes.sum();
        sleep(seconds);
        double perSecond = (echoes.sum() - before) / ((System.nanoTime() - startNs) / 1e9);
        saturating = false;
        return perSecond;
    }

    /** Sends messages in all sessions alternately and at equal intervals until the clients are closed. */
    DelayTimeline start(double messagesPerSecond) {
        return start(Stream.NORMAL, messagesPerSecond, Double.POSITIVE_INFINITY);
    }

    /** Sends additional messages for a time. */
    DelayTimeline burst(double messagesPerSecond, double seconds) {
        return start(Stream.BURST, messagesPerSecond, seconds);
    }

    private DelayTimeline start(Stream stream, double messagesPerSecond, double seconds) {
        long intervalNs = (long) (TimeUnit.SECONDS.toNanos(1) / messagesPerSecond);
        DelayTimeline timeline = new DelayTimeline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MS), intervalNs);
        long endNs = Double.isInfinite(seconds) ? Long.MAX_VALUE : timeline.nextNs() + (long) (seconds * 1e9);
        timelines.set(stream.ordinal(), timeline);
        loop.execute(() -> {
            sessions.forEach(session -> session.onReturn(this::returned));
            sendDue(stream, timeline, endNs);
        });
        return timeline;
    }

    /** Records an echo. The lowest bit of a number is the stream, and the others are the planned time. */
    private void returned(long number) {
        DelayTimeline timeline = timelines.get((int) number & 1);
        // Late echoes of the saturation contain no time.
        if (timeline != null && number > EchoSession.FIRST + 1) {
            timeline.returned(number >> 1, System.nanoTime());
        }
    }

    private void sendDue(Stream stream, DelayTimeline timeline, long endNs) {
        long nowNs = System.nanoTime();
        for (int i = 0; i < MAX_MESSAGES_PER_TASK && timeline.nextNs() <= nowNs && timeline.nextNs() < endNs; i++) {
            long dueNs = timeline.nextNs();
            sessions.get(timeline.sent(nowNs) % sessions.size()).send(dueNs << 1 | stream.ordinal());
        }
        if (!stopped && timeline.nextNs() < endNs) {
            loop.schedule(() -> sendDue(stream, timeline, endNs), Math.max(1, timeline.nextNs() - System.nanoTime()),
                TimeUnit.NANOSECONDS);
        }
    }

    /** Returns the number of closed sessions. */
    int closedSessions() {
        return (int) channels.stream().filter(channel -> !channel.isOpen()).count();
    }

    /** Returns the counters of the sessions together. */
    KcpStats counts() {
        return channels.stream().map(session -> session.collectStats().syncUninterruptibly().getNow())
            .map(KcpSessionStats::counters).reduce(KcpStats.ZERO, KcpStats::plus);
    }

    static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }

    static void sleepUntil(long ns) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(ns - System.nanoTime());
    }

    @Override
    public void close() {
        stopped = true;
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
