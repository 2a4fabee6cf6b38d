package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionStats;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One transfer of the demo: a server, a client and a bad link between them, all in this process. */
final class PresetRun {

    private static final int POLL_MS = 50;

    private final EventLoopGroup group;
    private final Variant variant;
    private final KcpConfig config;
    private final @Nullable CryptoConfig crypto;
    private final LinkConditions conditions;
    private final long seed;
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();
    private final DelayRecorder recorder;
    private final PacedSender sender;
    private final MeasuringReceiver receiver;
    private final List<Integer> roundTripsMs = new ArrayList<>();

    PresetRun(EventLoopGroup group, Variant variant, KcpConfig config, @Nullable CryptoConfig crypto, LinkConditions conditions,
        long seed, DemoFile file) {
        this.group = group;
        this.variant = variant;
        this.config = config;
        this.crypto = crypto;
        this.conditions = conditions;
        this.seed = seed;
        recorder = new DelayRecorder(file.bytes(), file.chunkBytes());
        sender = new PacedSender(file.channel(), file.chunkBytes(), file.bytesPerSecond(), recorder, done);
        receiver = new MeasuringReceiver(recorder, done);
    }

    PresetResult run(ProgressLine progress) throws IOException, InterruptedException, ExecutionException {
        FecShape shape = variant.fec();
        FecConfig fec = shape == null ? null : FecConfig.of(shape);
        KcpServerChannel server = new KcpServerBootstrap().group(group).sockets(1).config(config).crypto(crypto).fec(fec)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(receiver);
                }
            })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
        try (LossyRelay link = LossyRelay.start(Objects.requireNonNull(server.localAddress()), conditions, seed)) {
            KcpChannel client = new KcpBootstrap().group(group).config(config).crypto(crypto).fec(fec).handler(sender)
                .connect(link.address()).sync().channel();
            try {
                return await(client, link, progress);
            } finally {
                client.config().setLingerMs(0);
                client.close().awaitUninterruptibly();
            }
        } finally {
            progress.interrupt();
            server.close().awaitUninterruptibly();
        }
    }

    private PresetResult await(KcpChannel client, LossyRelay link, ProgressLine progress)
        throws IOException, InterruptedException, ExecutionException {
        byte[] received = null;
        while (received == null) {
            try {
                received = done.get(POLL_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                KcpSessionStats stats = client.collectStats().get();
                roundTripsMs.add(stats.smoothedRttMs());
                progress.show(recorder.deliveredBytes(), recorder.totalBytes(), detail(stats));
            } catch (ExecutionException failed) {
                throw new IOException(variant + " failed after " + recorder.deliveredBytes() + " of " + recorder.totalBytes()
                    + " bytes: " + failed.getCause() + " (the link may be too bad: " + conditions + ')', failed);
            }
        }
        if (!MessageDigest.isEqual(received, sender.sha256())) {
            throw new IOException(variant + ": what arrived has another SHA-256 than what was sent; please report this");
        }
        progress.end(recorder.totalBytes(), recorder.totalBytes(), detail(client.collectStats().get()) + ", SHA-256 ok");
        // The last acknowledgements, and the last needless repetitions, belong to the picture.
        client.acknowledged().await();
        KcpSessionStats stats = client.collectStats().get();
        long wireBytes = link.toServer().bytes() + link.toClients().bytes();
        return new PresetResult(variant, recorder.totalBytes(), recorder.series(), medianRttMs(stats), stats.counters(),
            wireBytes, link.longestStallMs());
    }

    private int medianRttMs(KcpSessionStats last) {
        roundTripsMs.add(last.smoothedRttMs());
        Collections.sort(roundTripsMs);
        return roundTripsMs.get(roundTripsMs.size() / 2);
    }

    private static String detail(KcpSessionStats stats) {
        return String.format(Locale.ROOT, "rtt %d ms, %d repeated", stats.smoothedRttMs(), stats.counters().retransmissions());
    }
}
