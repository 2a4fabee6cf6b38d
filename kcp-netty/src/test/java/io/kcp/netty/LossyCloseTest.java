package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossyLinkHandler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A close on a lossy path delivers everything, or fails and reports how much data was not acknowledged. */
@Timeout(60)
class LossyCloseTest {

    private static final int SEEDS = 20;
    private static final double LOSS = 0.2;

    /** The data that one client wrote and the future of its close. */
    private record Run(int seed, byte[] written, ChannelFuture closed) {
    }

    private final Map<Integer, ByteArrayOutputStream> received = new ConcurrentHashMap<>();

    private final class Collector extends ChannelInitializer<KcpChannel> {

        @Override
        protected void initChannel(KcpChannel session) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            assertThat(received.put(session.conv(), bytes)).as("no ghost").isNull();
            session.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) throws Exception {
                    synchronized (bytes) {
                        message.readBytes(bytes, message.readableBytes());
                    }
                }
            });
        }
    }

    private Run writeAndClose(Loopback loopback, KcpServerChannel server, int seed, int lingerMs) {
        LossyLinkHandler link = new LossyLinkHandler(LinkProfile.builder().lossProbability(LOSS).build(), seed);
        KcpChannel client = loopback.connect(loopback.client(new MessageCollector()).config(KcpConfig.fast3()).conv(seed)
            .datagramHandler(link).option(KcpChannelOption.LINGER_MS, lingerMs), server.localAddress());
        SplittableRandom random = new SplittableRandom(seed);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        int messages = random.nextInt(1, 300);
        for (int i = 0; i < messages; i++) {
            byte[] message = new byte[random.nextInt(1, 1_300)];
            random.nextBytes(message);
            written.writeBytes(message);
            client.write(client.alloc().buffer().writeBytes(message));
        }
        client.flush();
        return new Run(seed, written.toByteArray(), client.close());
    }

    private void assertNothingLostSilently(Run run) {
        byte[] arrived;
        ByteArrayOutputStream bytes = received.getOrDefault(run.seed, new ByteArrayOutputStream());
        synchronized (bytes) {
            arrived = bytes.toByteArray();
        }
        Throwable failure = Loopback.ended(run.closed).cause();
        String as = "seed " + run.seed + ": " + arrived.length + " of " + run.written.length + " bytes, " + failure;
        assertThat(Arrays.equals(arrived, Arrays.copyOf(run.written, arrived.length))).as(as).isTrue();
        if (failure == null) {
            assertThat(arrived).as(as).hasSameSizeAs(run.written);
        } else {
            assertThat(failure).as(as).isInstanceOfSatisfying(KcpCloseException.class, close -> {
                assertThat(close.unacknowledgedBytes()).isPositive();
                assertThat(arrived.length + close.unacknowledgedBytes()).isGreaterThanOrEqualTo(run.written.length);
            });
        }
    }

    @Test
    void closeDeliversAllWrittenDataOrFails() {
        System.out.println("seeds 1 to " + SEEDS);
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new Collector()).config(KcpConfig.fast3()));
            List<Run> runs = new ArrayList<>();
            for (int seed = 1; seed <= SEEDS; seed++) {
                runs.add(writeAndClose(loopback, server, seed, 5_000));
            }
            runs.forEach(run -> Loopback.ended(run.closed));
            runs.forEach(this::assertNothingLostSilently);
            assertThat(runs).filteredOn(run -> run.closed.isSuccess()).as("5 s are enough for most").hasSizeGreaterThan(SEEDS / 2);
        }
    }

    @Test
    void expiredLingerNeverReportsMoreThanArrived() {
        System.out.println("seeds 1 to " + SEEDS);
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new Collector()).config(KcpConfig.fast3()));
            List<Run> runs = new ArrayList<>();
            for (int seed = 1; seed <= SEEDS; seed++) {
                runs.add(writeAndClose(loopback, server, seed, 10 * seed));
            }
            runs.forEach(run -> Loopback.ended(run.closed));
            runs.forEach(this::assertNothingLostSilently);
        }
    }
}
