package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.loop.LoopContext;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests on each transport that a read batch of the maximum length counts as a backlog, with an event loop that the test runs. */
@Timeout(60)
class ReadBacklogTest {

    private static final int MAX_ITERATIONS = 1_000;
    /** More than the maximum number of datagrams of a read batch, but less than two batches. */
    private static final int DATAGRAMS = 300;

    private static void runUntil(ManualIoEventLoop loop, BooleanSupplier condition) {
        for (int i = 0; i < MAX_ITERATIONS && !condition.getAsBoolean(); i++) {
            loop.runNow();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    /**
     * Excludes io_uring, because Netty 4.2 ends a batch there unless the kernel reports that more data waits, which Linux never does for
     * UDP. Each batch then has one datagram, and no backlog can be detected.
     */
    @ParameterizedTest
    @EnumSource(names = "IO_URING", mode = EnumSource.Mode.EXCLUDE)
    void fullReadBatchIsABacklogUntilTheSocketIsDrained(KcpTransport transport) throws IOException {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        MockTicker clock = Ticker.newMockTicker();
        ManualIoEventLoop loop = new ManualIoEventLoop(null, Thread.currentThread(), transport.ioHandlerFactory(), clock);
        KcpFuture<KcpServerChannel> bound = new KcpServerBootstrap().group(loop).childHandler(EchoHandler.INSTANCE)
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        runUntil(loop, bound::isDone);
        LoopContext context = LoopContext.of(loop);
        try (DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < DATAGRAMS; i++) {
                client.send(new DatagramPacket(new byte[100], 100, bound.channel().localAddress()));
            }
        }
        runUntil(loop, context::isBehind);
        runUntil(loop, () -> !context.isBehind());
        Future<?> terminated = loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        runUntil(loop, terminated::isDone);
    }
}
