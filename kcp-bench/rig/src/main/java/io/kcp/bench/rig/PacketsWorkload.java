package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import tools.jackson.databind.node.ObjectNode;

/** Workload in which each connection sends one packet of random size and waits for its echo before it sends the next one. */
final class PacketsWorkload implements Workload {

    private final Load load;
    private final byte[] block;
    private final int maxBytes;
    private final ConcurrentHistogram roundTripsNs = new ConcurrentHistogram(3);
    private final LongAdder echoes = new LongAdder();
    private volatile boolean measuring;

    PacketsWorkload(Load load) {
        this.load = load;
        maxBytes = load.options().maxPayloadBytes;
        block = Load.block(maxBytes);
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.connections(); i++) {
            load.connect(new Client(i));
        }
        Waiting.sleep(load.options().warmupSeconds);
        measuring = true;
        long before = echoes.sum();
        Load.Interval interval = load.measureDuring(() -> Waiting.sleep(load.options().seconds));
        long count = echoes.sum() - before;
        measuring = false;
        return interval.addTo(Events.addMicroseconds(Events.event("result").put("work", "packets").put("count", count)
            .put("echoes_s", count / interval.load().seconds()), roundTripsNs));
    }

    private final class Client extends ClientListener {

        private final SplittableRandom sizes;
        private int sentBytes;
        private long sentNs;

        Client(long seed) {
            super(PacketsWorkload.this.load);
            sizes = new SplittableRandom(seed);
        }

        @Override
        public void opened(Session session) {
            send(session);
        }

        private void send(Session session) {
            sentBytes = sizes.nextInt(maxBytes + 1);
            sentNs = System.nanoTime();
            load.meter().sent(sentBytes, 1);
            session.write(session.alloc().ioBuffer(Math.max(1, sentBytes)).writeBytes(block, 0, sentBytes));
            session.flush();
        }

        @Override
        public void received(Session session, ByteBuf packet) {
            int bytes = packet.readableBytes();
            packet.release();
            if (bytes != sentBytes) {
                throw new IllegalStateException("sent " + sentBytes + " bytes, received " + bytes);
            }
            load.meter().received(sentBytes, 1);
            echoes.increment();
            if (measuring) {
                roundTripsNs.recordValue(System.nanoTime() - sentNs);
            }
            send(session);
        }
    }
}
