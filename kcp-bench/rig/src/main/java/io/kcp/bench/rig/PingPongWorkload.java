package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.node.ObjectNode;

/** Workload in which each session sends one message, waits for its echo and compares it before it sends the next one. */
final class PingPongWorkload implements Workload {

    private static final double NS_PER_US = 1_000;

    private final Load load;
    private final int messageBytes;
    private final byte[] block;
    /** Sum of the round-trip time histograms of all sessions. Guarded by its own monitor. */
    private final Histogram roundTripsNs = new Histogram(3);
    private final CountDownLatch warmingUp;
    private final CountDownLatch measuring;

    PingPongWorkload(Load load) {
        this.load = load;
        messageBytes = load.setup().writeBytes();
        block = Load.block(messageBytes);
        warmingUp = new CountDownLatch(load.connections());
        measuring = new CountDownLatch(load.connections());
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.connections(); i++) {
            load.connect(new Ping());
        }
        warmingUp.await();
        Load.Interval interval = load.measureDuring(measuring::await);
        synchronized (roundTripsNs) {
            ObjectNode result = Events.event("result").put("work", "pingpong").put("count", roundTripsNs.getTotalCount())
                .put("message_bytes", messageBytes).put("median_us", roundTripsNs.getValueAtPercentile(50) / NS_PER_US)
                .put("min_us", roundTripsNs.getMinValue() / NS_PER_US).put("mean_us", roundTripsNs.getMean() / NS_PER_US);
            return interval.addTo(Events.addMicroseconds(result, roundTripsNs));
        }
    }

    private final class Ping extends ClientListener {

        private final ByteBuf message = ByteBufAllocator.DEFAULT.directBuffer(messageBytes).writeBytes(block);
        private final ExpectedReply reply = new ExpectedReply(block);
        private final Histogram sessionNs = new Histogram(3);
        private int roundTrips;
        private long sentNs;

        Ping() {
            super(PingPongWorkload.this.load);
        }

        @Override
        public void opened(Session session) {
            if (load.options().warmupCount == 0) {
                warmingUp.countDown();
            }
            ping(session);
        }

        private void ping(Session session) {
            load.meter().sent(messageBytes, 1);
            sentNs = System.nanoTime();
            session.write(message.retainedDuplicate());
            session.flush();
        }

        @Override
        public void received(Session session, ByteBuf piece) {
            long roundTripNs = System.nanoTime() - sentNs;
            if (reply.completes(piece)) {
                load.meter().received(messageBytes, 1);
                count(session, roundTripNs);
            }
        }

        private void count(Session session, long roundTripNs) {
            roundTrips++;
            if (roundTrips > load.options().warmupCount) {
                sessionNs.recordValue(roundTripNs);
            } else if (roundTrips == load.options().warmupCount) {
                warmingUp.countDown();
            }
            if (roundTrips < load.options().warmupCount + load.options().count) {
                ping(session);
            } else {
                synchronized (roundTripsNs) {
                    roundTripsNs.add(sessionNs);
                }
                measuring.countDown();
            }
        }

        @Override
        public void failed(Throwable cause) {
            message.release();
            super.failed(cause);
        }
    }
}
