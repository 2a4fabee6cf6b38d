package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.node.ObjectNode;

/** Workload in which each session sends one message and waits for its echo before it sends the next one. */
final class PingPongWorkload implements LoadClient.Workload {

    private static final double NS_PER_US = 1_000;

    private final LoadContext load;
    private final int messageBytes;
    /** Sum of the round-trip time histograms of all sessions. Guarded by its own monitor. */
    private final Histogram roundTripsNs = new Histogram(3);
    private final CountDownLatch warmingUp;
    private final CountDownLatch measuring;

    PingPongWorkload(LoadContext load) {
        this.load = load;
        messageBytes = load.options.messageBytes();
        warmingUp = new CountDownLatch(load.options.connections);
        measuring = new CountDownLatch(load.options.connections);
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.options.connections; i++) {
            load.openCounted(new Ping());
        }
        warmingUp.await();
        LoadContext.Interval interval = load.measureDuring(measuring::await);
        synchronized (roundTripsNs) {
            ObjectNode result = Json.event("result").put("work", "pingpong").put("count", roundTripsNs.getTotalCount())
                .put("message_bytes", messageBytes).put("median_us", roundTripsNs.getValueAtPercentile(50) / NS_PER_US)
                .put("min_us", roundTripsNs.getMinValue() / NS_PER_US).put("mean_us", roundTripsNs.getMean() / NS_PER_US);
            return interval.addTo(LoadMeter.addPercentiles(result, roundTripsNs, "us"));
        }
    }

    private final class Ping extends ClientSessionHandler {

        private final ByteBuf message = ByteBufAllocator.DEFAULT.directBuffer(messageBytes).writeZero(messageBytes);
        private final Histogram sessionNs = new Histogram(3);
        private int missingBytes;
        private int roundTrips;
        private long sentNs;

        Ping() {
            super(PingPongWorkload.this.load);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (load.options.warmupCount == 0) {
                warmingUp.countDown();
            }
            ping(context);
        }

        private void ping(ChannelHandlerContext context) {
            missingBytes = messageBytes;
            load.meter.sent(messageBytes, 1);
            sentNs = System.nanoTime();
            context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf buffer) {
            missingBytes -= buffer.readableBytes();
            if (missingBytes > 0) {
                return;
            }
            long roundTripNs = System.nanoTime() - sentNs;
            load.meter.received(messageBytes, 1);
            roundTrips++;
            if (roundTrips > load.options.warmupCount) {
                sessionNs.recordValue(roundTripNs);
            } else if (roundTrips == load.options.warmupCount) {
                warmingUp.countDown();
            }
            if (roundTrips < load.options.warmupCount + load.options.count) {
                ping(context);
            } else {
                synchronized (roundTripsNs) {
                    roundTripsNs.add(sessionNs);
                }
                measuring.countDown();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            message.release();
            super.channelInactive(context);
        }
    }
}
