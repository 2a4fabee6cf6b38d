package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Runs the {@code pingpong} scenario, in which one session sends each message after the previous one has returned. */
final class PingPongWork implements Work {

    private final Load load;
    private final int count;
    private final int warmupCount;

    PingPongWork(Load load) {
        this.load = load;
        count = load.options().number("count", 1000);
        warmupCount = load.options().number("warmup-count", 100);
    }

    @Override
    public void run() throws Exception {
        int bytes = load.options().writeBytes();
        ByteBuf block = load.block(bytes);
        Delays delays = new Delays();
        load.connect(new SessionListener() {
            private int number = -warmupCount;
            private long start;

            @Override
            public void opened(Session session) {
                next(session);
            }

            private void next(Session session) {
                if (number == 0) {
                    JsonLine.event("measuring").print();
                }
                start = System.nanoTime();
                session.write(block.retainedDuplicate());
                session.flush();
                load.meter().sent(bytes);
            }

            @Override
            public void received(Session session, ByteBuf message) {
                long took = System.nanoTime() - start;
                if (message.readableBytes() != bytes) {
                    Peer.fail("received a message of " + message.readableBytes() + " bytes, expected " + bytes);
                }
                load.meter().received(bytes);
                if (number >= 0) {
                    delays.record(took);
                }
                if (++number < count) {
                    next(session);
                } else {
                    Peer.finish(JsonLine.event("result").put("count", delays.count())
                        .put("median_us", delays.us(50)).put("p99_us", delays.us(99)).put("mean_us", delays.meanUs()));
                }
            }
        });
    }
}
