package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.testkit.LinkCounts;
import io.kcp.testkit.LossyLinkHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Player of the demo: a KCP server, a client, and a simulated lossy link in the pipeline of the client's socket. */
final class KcpPlayer implements AutoCloseable {

    private static final int IP_AND_UDP_HEADER_BYTES = 28;
    private static final int ACKNOWLEDGED_SECONDS = 10;

    private final Variant variant;
    private final DelayRecorder recorder;
    private final LossyLinkHandler link;
    private final KcpServerChannel server;
    private final KcpChannel client;
    private final MessageSender sender;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    KcpPlayer(EventLoopGroup group, Variant variant, KcpConfig config, @Nullable CryptoConfig crypto, LinkConditions conditions, long seed,
        DemoTraffic traffic) throws InterruptedException {
        this.variant = variant;
        recorder = new DelayRecorder(traffic);
        sender = new MessageSender(recorder, this::onFailure);
        link = new LossyLinkHandler(conditions.profile(), seed);
        FecConfig fec = variant.fec() == null ? null : FecConfig.of(variant.fec());
        server = new KcpServerBootstrap().group(group).sockets(1).config(config).crypto(crypto).fec(fec)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new MessageReceiver(recorder, KcpPlayer.this::onFailure));
                }
            })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
        try {
            client = new KcpBootstrap().group(group).config(config).crypto(crypto).fec(fec).datagramHandler(link)
                .handler(sender).connect(Objects.requireNonNull(server.localAddress())).sync().channel();
        } catch (Throwable failed) {
            server.close().awaitUninterruptibly();
            throw failed;
        }
    }

    void begin(long atNanos) {
        sender.begin(client, atNanos);
    }

    private void onFailure(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    DelayRecorder recorder() {
        return recorder;
    }

    /** Throws an exception if the session of this player has failed. */
    void check() throws IOException {
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IOException(variant + " failed after " + recorder.delivered() + " of " + recorder.traffic().messages()
                + " messages: " + cause, cause);
        }
    }

    /** Waits for the last acknowledgement, and then returns the total size of all IP packets in both directions. */
    long wireBytes() throws InterruptedException {
        client.acknowledged().await(ACKNOWLEDGED_SECONDS, TimeUnit.SECONDS);
        return ipBytes(link.outboundCounts()) + ipBytes(link.inboundCounts());
    }

    private static long ipBytes(LinkCounts counts) {
        return counts.bytes() + counts.datagrams() * IP_AND_UDP_HEADER_BYTES;
    }

    /** Returns the longest time, in milliseconds, for which load on this computer has delayed a message of this player. */
    long longestStallMs() {
        return Math.max(sender.longestStallMs(), link.longestLatenessMs());
    }

    @Override
    public void close() {
        client.config().setLingerMs(0);
        client.close().awaitUninterruptibly();
        server.close().awaitUninterruptibly();
    }
}
