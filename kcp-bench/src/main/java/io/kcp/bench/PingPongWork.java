package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/** Each session writes a message when the one before it is back. */
final class PingPongWork implements ClientWork {

    private static final double NS_PER_US = 1_000;

    private final LoadRun run;
    private final int messageBytes;
    /** Written on event loops, read when all are done. */
    private final Histogram roundTripsNs = new Histogram(3);
    private final AtomicInteger warming;
    private final AtomicInteger measured;
    private final CompletableFuture<Void> allWarm = new CompletableFuture<>();
    private final CompletableFuture<Void> allMeasured = new CompletableFuture<>();

    PingPongWork(LoadRun run) {
        this.run = run;
        messageBytes = run.options.messageBytes();
        warming = new AtomicInteger(run.options.connections);
        measured = new AtomicInteger(run.options.connections);
    }

    @Override
    public JsonLine run() {
        for (int i = 0; i < run.options.connections; i++) {
            run.openCounted(new Ping());
        }
        run.end.await(allWarm);
        LoadRun.Interval interval = run.measureNow(() -> run.end.await(allMeasured));
        synchronized (roundTripsNs) {
            return interval.addTo(JsonLine.event("result").put("work", "pingpong").put("count", roundTripsNs.getTotalCount())
                .put("message_bytes", messageBytes).put("median_us", roundTripsNs.getValueAtPercentile(50) / NS_PER_US)
                .put("p90_us", roundTripsNs.getValueAtPercentile(90) / NS_PER_US)
                .put("p99_us", roundTripsNs.getValueAtPercentile(99) / NS_PER_US)
                .put("p999_us", roundTripsNs.getValueAtPercentile(99.9) / NS_PER_US)
                .put("min_us", roundTripsNs.getMinValue() / NS_PER_US).put("max_us", roundTripsNs.getMaxValue() / NS_PER_US)
                .put("mean_us", roundTripsNs.getMean() / NS_PER_US));
        }
    }

    private final class Ping extends WorkHandler {

        private final ByteBuf message = ByteBufAllocator.DEFAULT.directBuffer(messageBytes).writeZero(messageBytes);
        private final Histogram mineNs = new Histogram(3);
        private int missingBytes;
        private int done;
        private long sentNs;

        Ping() {
            super(PingPongWork.this.run);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (run.options.warmupCount == 0) {
                warm();
            }
            ping(context);
        }

        private void ping(ChannelHandlerContext context) {
            missingBytes = messageBytes;
            run.meter.sent(messageBytes, 1);
            sentNs = System.nanoTime();
            context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
        }

        @Override
        void onRead(ChannelHandlerContext context, ByteBuf buffer) {
            missingBytes -= buffer.readableBytes();
            if (missingBytes > 0) {
                return;
            }
            long roundTripNs = System.nanoTime() - sentNs;
            run.meter.received(messageBytes, 1);
            done++;
            if (done > run.options.warmupCount) {
                mineNs.recordValue(roundTripNs);
            } else if (done == run.options.warmupCount) {
                warm();
            }
            if (done < run.options.warmupCount + run.options.count) {
                ping(context);
            } else {
                finish();
            }
        }

        private void warm() {
            if (warming.decrementAndGet() == 0) {
                allWarm.complete(null);
            }
        }

        private void finish() {
            synchronized (roundTripsNs) {
                roundTripsNs.add(mineNs);
            }
            if (measured.decrementAndGet() == 0) {
                allMeasured.complete(null);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            message.release();
            super.channelInactive(context);
        }
    }
}
