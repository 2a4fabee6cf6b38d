package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossyRelay;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Transfers data between a server with four sockets and a client behind a relay whose port changes. The system property
 * {@code kcp.roaming.rebindMs} sets the time between two changes, {@code kcp.roaming.bytes} the amount of data, and
 * {@code kcp.roaming.maxGapMs} the longest permitted time without data.
 */
@Timeout(300)
class RoamingLoopbackTest {

    private static final CryptoConfig CRYPTO = CryptoConfig.of("aes-128-gcm", new byte[16]);
    private static final int SOCKETS = 4;
    private static final int BYTES = Integer.getInteger("kcp.roaming.bytes", 2 << 20);
    private static final int REBIND_MS = Integer.getInteger("kcp.roaming.rebindMs", 400);
    private static final int REBINDS = 4;
    /** The default only detects a transfer that hangs. {@link RoamingTest} measures the gap on a simulated clock. */
    private static final int MAX_GAP_MS = Integer.getInteger("kcp.roaming.maxGapMs", 60_000);

    private final List<KcpChannel> accepted = new CopyOnWriteArrayList<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    /** Counts down when the client receives data. An earlier change of the port may open a second session. */
    private final CountDownLatch firstData = new CountDownLatch(1);
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicLong longestGapNanos = new AtomicLong();

    /** Measures the longest time between two reads. */
    private final class Gaps extends ChannelInboundHandlerAdapter {

        private long lastNanos;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            threads.add(Thread.currentThread());
            if (!(context.channel().parent() instanceof KcpServerChannel)) {
                firstData.countDown();
            }
            long nowNanos = System.nanoTime();
            if (lastNanos != 0) {
                longestGapNanos.accumulateAndGet(nowNanos - lastNanos, Math::max);
            }
            lastNanos = nowNanos;
            context.fireChannelRead(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            changes.addAndGet(event instanceof KcpAddressChangeEvent ? 1 : 0);
            context.fireUserEventTriggered(event);
        }
    }

    private ChannelInitializer<KcpChannel> initializer(StreamPump pump) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                if (session.parent() instanceof KcpServerChannel) {
                    accepted.add(session);
                }
                session.pipeline().addLast(new Gaps(), pump);
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"EPOLL,true", "EPOLL,false", "NIO,true"})
    void transferSurvivesChangesOfThePort(KcpTransport transport, boolean download) throws Exception {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        int rate = (int) (BYTES / ((REBINDS + 0.5) * REBIND_MS / 1_000));
        KcpConfig config = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).maxBytesPerSecond(rate).build();
        int uploadBytes = download ? 1 : BYTES;
        StreamPump atServer = new StreamPump(1, BYTES, uploadBytes);
        StreamPump atClient = new StreamPump(2, uploadBytes, BYTES);
        ScheduledExecutorService nat = Executors.newSingleThreadScheduledExecutor();
        try (Loopback loopback = new Loopback(transport, SOCKETS)) {
            KcpServerChannel server = loopback.bind(loopback.server(initializer(atServer)).config(config).crypto(CRYPTO).roaming(true));
            assertThat(server.datagramChannels()).hasSize(BootstrapAccess.balancesPort(transport) ? SOCKETS : 1);
            try (LossyRelay relay = LossyRelay.start(server.localAddress(), LinkProfile.builder().build(), 1)) {
                KcpChannel client = loopback.connect(
                    loopback.client(initializer(atClient)).config(config).crypto(CRYPTO).roaming(true), relay.address());
                assertThat(firstData.await(60, TimeUnit.SECONDS)).isTrue();
                nat.scheduleAtFixedRate(relay::rebind, REBIND_MS, REBIND_MS, TimeUnit.MILLISECONDS);
                assertThat(atClient.receivedDigest().get(120, TimeUnit.SECONDS)).isEqualTo(atServer.sentDigest().get());
                assertThat(atServer.receivedDigest().get(120, TimeUnit.SECONDS)).isEqualTo(atClient.sentDigest().get());
                assertThat(client.isActive()).isTrue();
                nat.shutdownNow();
                assertThat(nat.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
            }
            System.out.println(transport + (download ? " download" : " two-way") + ": " + changes + " changes, longest gap "
                + TimeUnit.NANOSECONDS.toMillis(longestGapNanos.get()) + " ms");
            assertThat(changes.get()).isGreaterThanOrEqualTo(REBINDS - 1);
            assertThat(accepted).hasSize(1);
            assertThat(TimeUnit.NANOSECONDS.toMillis(longestGapNanos.get())).isLessThanOrEqualTo(MAX_GAP_MS);
            assertThat(threads).as("one event loop for the session, one for the client").hasSizeLessThanOrEqualTo(2);
        } finally {
            nat.shutdownNow();
        }
    }
}
