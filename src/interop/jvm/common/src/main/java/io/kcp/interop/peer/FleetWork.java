package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the {@code fleet} scenario, in which many sessions send at a steady rate. Each message contains its planned sending time in
 * nanoseconds since the start of the scenario.
 */
final class FleetWork implements Work {

    private static final long LEAD_NS = 50_000_000;
    private static final long NEAR_NS = 20_000;
    private static final int MOST_AT_ONCE = 64;
    /** Maximum number of pauses of {@code WAIT_MS} while late messages are awaited. The total of 10 s is the same as in the Go program. */
    private static final int WAITS = 1_000;
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

    /**
     * Sends the messages of each session on its event loop, if the library has event loops. A write from another thread would wake the
     * event loop.
     */
    private void send(Session[] sessions, int bytes, long endNs) throws InterruptedException {
        Map<ScheduledExecutorService, List<Integer>> byLoop = new IdentityHashMap<>();
        for (int i = 0; i < sessions.length; i++) {
            byLoop.computeIfAbsent(sessions[i].loop(), loop -> new ArrayList<>()).add(i);
        }
        CountDownLatch done = new CountDownLatch(byLoop.size());
        byLoop.forEach((loop, indexes) -> {
            Pacer pacer = new Pacer(sessions, indexes, bytes, endNs);
            if (loop == null) {
                Peer.start("pacer", () -> {
                    while (pacer.sendDue()) {
                        sleepUntil(pacer.nextNs());
                    }
                    done.countDown();
                });
            } else {
                pacer.sendOn(loop, done);
            }
        });
        done.await();
    }

    /** Sends the messages of some of the sessions in the order of the messages' planned times. */
    private final class Pacer {

        private final Session[] sessions;
        private final List<Integer> indexes;
        private final int bytes;
        private final long endNs;
        private final double periodNs = 1e9 / rate;
        private long round;
        private int next;

        Pacer(Session[] sessions, List<Integer> indexes, int bytes, long endNs) {
            this.sessions = sessions;
            this.indexes = indexes;
            this.bytes = bytes;
            this.endNs = endNs;
        }

        private long plannedNs() {
            return (long) ((round + (double) indexes.get(next) / sessions.length) * periodNs);
        }

        long nextNs() {
            return startNs + plannedNs();
        }

        void sendOn(ScheduledExecutorService loop, CountDownLatch done) {
            loop.schedule(() -> {
                if (sendDue()) {
                    sendOn(loop, done);
                } else {
                    done.countDown();
                }
            }, Math.max(1, nextNs() - System.nanoTime()), TimeUnit.NANOSECONDS);
        }

        /** Sends the messages that are due, and returns {@code false} if no messages remain to be sent. */
        boolean sendDue() {
            for (int messages = 0; messages < MOST_AT_ONCE && nextNs() - System.nanoTime() <= 0; messages++) {
                long planned = plannedNs();
                if (planned >= endNs) {
                    return false;
                }
                Session session = sessions[indexes.get(next)];
                ByteBuf message = session.alloc().directBuffer(bytes).writeLong(planned).writeZero(bytes - Long.BYTES);
                session.write(message);
                session.flush();
                load.meter().sent(bytes);
                if (planned >= warmupNs) {
                    sent.incrementAndGet();
                }
                if (++next == indexes.size()) {
                    next = 0;
                    round++;
                }
            }
            return true;
        }
    }

    private static void sleepUntil(long dueNs) {
        for (long left = dueNs - System.nanoTime(); left > NEAR_NS; left = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
