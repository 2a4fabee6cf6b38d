package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Many sessions that send at a steady rate. A message carries when it was to leave, in nanoseconds since the start. */
final class FleetWork implements Work {

    private static final long LEAD_NS = 50_000_000;
    private static final long NEAR_NS = 20_000;
    private static final int WAITS = 100;
    private static final long WAIT_MS = 10;

    private final Load load;
    private final int sessionCount;
    private final double rate;
    private final Delays delays = new Delays();
    private final AtomicLong sent = new AtomicLong();
    private volatile long startNs;
    private volatile long warmupNs = Long.MAX_VALUE;

    FleetWork(Load load) {
        this.load = load;
        sessionCount = load.options().number("sessions", 1);
        rate = load.options().real("rate", 1);
    }

    @Override
    public void run() throws Exception {
        Options options = load.options();
        int bytes = options.writeBytes();
        if (bytes < Long.BYTES) {
            throw new IllegalArgumentException("fleet needs --write-bytes of 8 or more");
        }
        Session[] sessions = load.open(sessionCount, bytes, new SessionListener() {
            @Override
            public void received(Session session, ByteBuf message) {
                long planned = message.getLong(message.readerIndex());
                load.meter().received(message.readableBytes());
                if (planned >= warmupNs) {
                    delays.record(System.nanoTime() - startNs - planned);
                }
            }
        });
        startNs = System.nanoTime() + LEAD_NS;
        warmupNs = (long) (options.warmup() * 1e9);
        long endNs = warmupNs + (long) (options.seconds() * 1e9);
        Peer.start("measuring", () -> {
            sleepUntil(startNs + warmupNs);
            JsonLine.event("measuring").print();
        });
        send(sessions, bytes, endNs);
        sleepUntil(startNs + endNs);
        for (int i = 0; i < WAITS && delays.count() < sent.get(); i++) {
            Thread.sleep(WAIT_MS);
        }
        Peer.finish(JsonLine.event("result").put("sent", sent.get()).put("received", delays.count())
            .put("sent_s", sent.get() / options.seconds())
            .put("p50_us", delays.us(50)).put("p90_us", delays.us(90)).put("p99_us", delays.us(99)).put("p999_us", delays.us(99.9))
            .put("max_us", delays.maxUs()).put("sockets", load.protocol().sockets(sessionCount)));
    }

    private void send(Session[] sessions, int bytes, long endNs) {
        double periodNs = 1e9 / rate;
        for (long round = 0; ; round++) {
            for (int i = 0; i < sessions.length; i++) {
                long planned = (long) ((round + (double) i / sessions.length) * periodNs);
                if (planned >= endNs) {
                    return;
                }
                sleepUntil(startNs + planned);
                Session session = sessions[i];
                ByteBuf message = session.alloc().directBuffer(bytes).writeLong(planned).writeZero(bytes - Long.BYTES);
                session.write(message);
                session.flush();
                load.meter().sent(bytes);
                if (planned >= warmupNs) {
                    sent.incrementAndGet();
                }
            }
        }
    }

    private static void sleepUntil(long dueNs) {
        for (long left = dueNs - System.nanoTime(); left > NEAR_NS; left = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
