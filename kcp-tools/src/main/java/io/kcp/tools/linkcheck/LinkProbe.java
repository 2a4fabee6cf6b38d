package io.kcp.tools.linkcheck;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Measures the link to an echoing server with one session: first with small messages, then with as much data as the link takes. */
final class LinkProbe implements AutoCloseable {

    private static final int MESSAGES_PER_SECOND = 100;
    private static final long MESSAGE_INTERVAL_MICROS = 1_000_000 / MESSAGES_PER_SECOND;
    private static final double MESSAGE_SHARE = 0.4;
    private static final double BULK_SHARE = 0.5;
    /** Share of the bulk phase in which the sender has not reached the rate of the link yet. */
    private static final double RAMP_SHARE = 0.25;
    private static final int SAMPLE_MS = 200;
    private static final int POLL_MS = 100;
    private static final int PATIENCE_SECONDS = 5;
    private static final int MIN_PATIENCE_MS = 1_000;
    private static final int UNREACHABLE_MS = 300;
    private static final double P99 = 99;

    /** The evidence of one phase. */
    private record Evidence(SentSegments sent, ReceivedSegments received) {
    }

    /** The number of bytes acknowledged and returned at a time. */
    private record Transferred(long nanos, long acknowledgedBytes, long receivedBytes) {
    }

    /** The data that the session has accepted and the server has not acknowledged, at several times. */
    private static final class Backlog {

        private long segments;
        private int samples;
        private long maxBytes;

        void add(KcpSessionStats stats) {
            segments += stats.waitingSegments();
            samples++;
            maxBytes = Math.max(maxBytes, stats.unacknowledgedBytes());
        }

        int meanSegments() {
            return samples == 0 ? 0 : (int) (segments / samples);
        }
    }

    private final KcpBootstrap client;
    private final KcpConfig config;
    private final InetSocketAddress server;
    private final int seconds;
    private final EchoProbe probe;
    private final KcpChannel session;
    private @Nullable SegmentTap tap;
    private List<LinkSamples.Sample> samples = List.of();

    /** Opens a session and sends one message. */
    LinkProbe(KcpBootstrap client, KcpConfig config, InetSocketAddress server, int seconds) throws InterruptedException {
        this.client = client;
        this.config = config;
        this.server = server;
        this.seconds = seconds;
        probe = new EchoProbe((int) (seconds * MESSAGE_SHARE * MESSAGES_PER_SECOND));
        session = client.config(config).connect(server, new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel opened) {
                SegmentTap added = new SegmentTap(opened.conv());
                tap = added;
                opened.datagramChannel().pipeline().addBefore("kcp", "segments", added);
                opened.pipeline().addLast(probe);
            }
        }).sync().channel();
    }

    /** Waits until the server has echoed the first message. Fails with the probable reason if there is no echo. */
    void awaitFirstEcho(int timeoutMs) throws IOException, InterruptedException {
        try {
            probe.firstEcho().get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException failure) {
            if (failure.getCause() instanceof IOException wrongEcho && tap().anyReceived()) {
                throw wrongEcho;
            }
            throw new IOException(noEcho(timeoutMs), failure);
        }
    }

    private String noEcho(int timeoutMs) throws InterruptedException {
        String address = server.getHostString() + ':' + server.getPort();
        if (tap().anyReceived()) {
            return "The server " + address + " acknowledges messages but does not send them back. Run this program against an echo server,"
                + " such as kcp echo-server.";
        }
        if (isPortClosed()) {
            return "No program listens on UDP port " + address + ". Start kcp echo-server there, or set --host and --port.";
        }
        return "No response from " + address + " within " + timeoutMs / 1_000 + " s. Check the address and the port, and whether --crypt"
            + " and --key are those of the server, because a server drops datagrams that it cannot decrypt. A firewall may also drop"
            + " datagrams.";
    }

    /** Returns {@code true} if the operating system of the server reports that the port is closed. */
    private boolean isPortClosed() {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            socket.setSoTimeout(UNREACHABLE_MS);
            socket.send(new DatagramPacket(new byte[1], 1));
            socket.receive(new DatagramPacket(new byte[1], 1));
            return false;
        } catch (PortUnreachableException closed) {
            return true;
        } catch (IOException noReport) {
            return false;
        }
    }

    /** Measures the link. The callback receives the number of elapsed seconds. */
    LinkMeasurement measure(IntConsumer progressSeconds) throws Exception {
        long startNanos = System.nanoTime();
        Runnable progress = () -> progressSeconds.accept((int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos));
        long patienceMs = Math.max(MIN_PATIENCE_MS, Math.round((1 - MESSAGE_SHARE - BULK_SHARE) * seconds * 1_000));
        int largest = LargestDatagram.find(client, config, server, patienceMs);
        progress.run();

        LinkSamples recorder = onEventLoop(() -> {
            tap().restart();
            probe.startMessages(MESSAGE_INTERVAL_MICROS);
            return new LinkSamples(tap(), probe);
        });
        ScheduledFuture<?> sampling = session.eventLoop().scheduleAtFixedRate(recorder::take, SAMPLE_MS, SAMPLE_MS, TimeUnit.MILLISECONDS);
        await(progress, seconds * MESSAGE_SHARE, false);
        onEventLoop(() -> {
            probe.stopMessages();
            return true;
        });
        await(progress, PATIENCE_SECONDS, true);
        onEventLoop(() -> {
            probe.endMessages();
            return true;
        });
        Evidence idle = takeEvidence();

        KcpStats before = session.collectStats().get().counters();
        onEventLoop(() -> {
            probe.startBulk();
            return true;
        });
        await(progress, seconds * BULK_SHARE * RAMP_SHARE, false);
        Transferred ramp = transferred();
        Backlog backlog = new Backlog();
        await(() -> {
            progress.run();
            backlog.add(session.collectStats().syncUninterruptibly().getNow());
        }, seconds * BULK_SHARE * (1 - RAMP_SHARE), false);
        Transferred end = transferred();
        KcpStats after = session.collectStats().get().counters();
        Evidence loaded = takeEvidence();
        sampling.cancel(false);
        samples = onEventLoop(recorder::samples);
        return measurement(idle, loaded, ramp, end, backlog, neededRetransmissions(after) - neededRetransmissions(before),
            largest);
    }

    private LinkMeasurement measurement(Evidence idle, Evidence loaded, Transferred ramp, Transferred end, Backlog backlog,
        long retransmissions, int largest) throws IOException {
        if (!idle.sent.hasRoundTrips() || !loaded.sent.hasRoundTrips()) {
            throw new IOException("The server acknowledged nothing during the measurement. The link may lose almost all datagrams.");
        }
        double micros = (end.nanos - ramp.nanos) / 1e3;
        double shortestMs = Math.min(idle.sent.shortestMs(), loaded.sent.shortestMs());
        Evidence more = idle.received.lost() > loaded.received.lost() ? idle : loaded;
        return new LinkMeasurement(shortestMs, idle.sent.roundTripMs(50), idle.sent.roundTripMs(P99), probe.echoMs(50), probe.echoMs(P99),
            idle.sent.lossShare(idle.received.lossShare()), idle.received.lossShare(), idle.sent.segments(), more.received.meanLossRun(),
            Math.max(idle.received.reorderedShare(), loaded.received.reorderedShare()),
            (end.acknowledgedBytes - ramp.acknowledgedBytes) * 8 / micros, (end.receivedBytes - ramp.receivedBytes) * 8 / micros,
            loaded.sent.roundTripMs(50), loaded.sent.roundTripMs(P99),
            Math.max(0, (double) retransmissions / Math.max(1, loaded.sent.segments())), loaded.received.lossShare(),
            backlog.meanSegments(), tap().ownWindow(), backlog.maxBytes, tap().peerWindow(), largest);
    }

    private static long neededRetransmissions(KcpStats stats) {
        return stats.retransmissions() - stats.spuriousRetransmissions();
    }

    private Evidence takeEvidence() throws Exception {
        return onEventLoop(() -> {
            Evidence evidence = new Evidence(tap().sent(), tap().received());
            tap().restart();
            return evidence;
        });
    }

    private Transferred transferred() throws Exception {
        return onEventLoop(() -> new Transferred(System.nanoTime(), tap().sent().acknowledgedBytes(), probe.receivedBytes()));
    }

    /** Waits for a time, or optionally until all messages have been echoed. Fails if the session fails. */
    private void await(Runnable progress, double waitSeconds, boolean endsWithLastEcho) throws Exception {
        long deadlineNanos = System.nanoTime() + Math.round(waitSeconds * 1e9);
        while (System.nanoTime() < deadlineNanos && !(endsWithLastEcho && probe.allEchoed().isDone())) {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
            progress.run();
            if (probe.allEchoed().isCompletedExceptionally()) {
                probe.allEchoed().get();
            }
        }
    }

    private <T> T onEventLoop(Callable<T> action) throws InterruptedException, ExecutionException {
        return session.eventLoop().submit(action).get();
    }

    /** Returns the measurements over time. */
    List<LinkSamples.Sample> samples() {
        return samples;
    }

    private SegmentTap tap() {
        return Objects.requireNonNull(tap, "the session is open");
    }

    @Override
    public void close() {
        session.config().setLingerMs(0);
        session.close().awaitUninterruptibly();
    }
}
