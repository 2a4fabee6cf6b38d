package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes a message when the one before it is back. */
@Command(name = "pingpong-client", description = "Writes a message when the one before it is back.")
final class PingPongClient extends LoadClient {

    private static final double NS_PER_US = 1_000;

    @Option(names = "--message-bytes", defaultValue = "64", description = "size of a message (${DEFAULT-VALUE})")
    int messageBytes;

    @Option(names = "--count", defaultValue = "20000", description = "measured round trips of each session (${DEFAULT-VALUE})")
    int count;

    @Option(names = "--warmup-count", defaultValue = "20000", description = "round trips before them (${DEFAULT-VALUE})")
    int warmupCount;

    /** Written on event loops, read when all are done. */
    private final Histogram roundTripsNs = new Histogram(3);
    private CountDownLatch warming = new CountDownLatch(0);
    private CountDownLatch running = new CountDownLatch(0);

    @Override
    String kind() {
        return "pingpong";
    }

    @Override
    public Integer call() {
        warming = new CountDownLatch(connections);
        running = new CountDownLatch(connections);
        return super.call();
    }

    @Override
    ChannelHandler newHandler() {
        return new Ping();
    }

    @Override
    JsonLine measure(JsonLine line) {
        await(warming);
        double cpuBeforeMs = ProcessMeter.cpuMs();
        long startNs = System.nanoTime();
        await(running);
        double seconds = (System.nanoTime() - startNs) / 1e9;
        double cpuMs = ProcessMeter.cpuMs() - cpuBeforeMs;
        return line.put("count", roundTripsNs.getTotalCount()).put("message_bytes", messageBytes)
            .put("median_us", roundTripsNs.getValueAtPercentile(50) / NS_PER_US)
            .put("p99_us", roundTripsNs.getValueAtPercentile(99) / NS_PER_US)
            .put("p999_us", roundTripsNs.getValueAtPercentile(99.9) / NS_PER_US)
            .put("min_us", roundTripsNs.getMinValue() / NS_PER_US).put("max_us", roundTripsNs.getMaxValue() / NS_PER_US)
            .put("mean_us", roundTripsNs.getMean() / NS_PER_US).put("seconds", seconds).put("cpu_ms", cpuMs);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted", interrupted);
        }
    }

    private final class Ping extends ChannelInboundHandlerAdapter {

        private final ByteBuf message = ByteBufAllocator.DEFAULT.directBuffer(messageBytes).writeZero(messageBytes);
        private final Histogram mineNs = new Histogram(3);
        private int missingBytes;
        private int done;
        private long sentNs;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ping(context);
        }

        private void ping(ChannelHandlerContext context) {
            missingBytes = messageBytes;
            sentNs = System.nanoTime();
            context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object pong) {
            ByteBuf buffer = (ByteBuf) pong;
            missingBytes -= buffer.readableBytes();
            buffer.release();
            if (missingBytes > 0) {
                return;
            }
            long roundTripNs = System.nanoTime() - sentNs;
            done++;
            if (done > warmupCount) {
                mineNs.recordValue(roundTripNs);
            } else if (done == warmupCount) {
                warming.countDown();
            }
            if (done < warmupCount + count) {
                ping(context);
            } else {
                finish();
            }
        }

        private void finish() {
            synchronized (roundTripsNs) {
                roundTripsNs.add(mineNs);
            }
            running.countDown();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            message.release();
        }
    }
}
