package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the {@code delay} scenario, in which sessions send at a steady rate and the server measures the delay. Each message contains its
 * planned sending time as a value of {@link System#nanoTime()}. All processes of a Linux machine share this clock.
 */
final class DelayWork implements Work {

    /** Value that messages of the warm-up contain instead of the sending time. */
    static final long NOT_MEASURED = 0;

    private static final long LEAD_NS = 50_000_000;
    private static final long OPENING_SECONDS = 60;

    private final Load load;
    private final int sessionCount;
    private final double rate;

    DelayWork(Load load) {
        this.load = load;
        sessionCount = load.options().number("sessions", 1);
        rate = load.options().real("rate", 50);
    }

    @Override
    public void run() throws Exception {
        Session[] sessions = open();
        Options options = load.options();
        long startNs = System.nanoTime() + LEAD_NS;
        long measuredNs = startNs + (long) (options.warmup() * 1e9);
        long endNs = measuredNs + (long) (options.seconds() * 1e9);
        Peer.start("measuring", () -> {
            sleepUntil(measuredNs);
            JsonLine.event("measuring").print();
        });
        JsonLine.event("result").put("sent", send(sessions, startNs, measuredNs, endNs)).print();
    }

    private Session[] open() throws Exception {
        Session[] sessions = new Session[sessionCount];
        CountDownLatch opened = new CountDownLatch(sessionCount);
        for (int i = 0; i < sessionCount; i++) {
            int index = i;
            load.connect(new SessionListener() {
                @Override
                public void opened(Session session) {
                    sessions[index] = session;
                    opened.countDown();
                }

                @Override
                public void received(Session session, ByteBuf message) {
                    throw new IllegalStateException("a message arrived, but the server of the delay scenario sends none");
                }
            });
        }
        if (!opened.await(OPENING_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(opened.getCount() + " sessions did not open within " + OPENING_SECONDS + " s");
        }
        return sessions;
    }

    private long send(Session[] sessions, long startNs, long measuredNs, long endNs) {
        int bytes = load.options().number("write-bytes", 200);
        double periodNs = 1e9 / rate;
        long sent = 0;
        for (long round = 0; ; round++) {
            for (int i = 0; i < sessions.length; i++) {
                long due = startNs + (long) ((round + (double) i / sessions.length) * periodNs);
                if (due >= endNs) {
                    return sent;
                }
                sleepUntil(due);
                boolean measured = due >= measuredNs;
                Session session = sessions[i];
                session.write(session.alloc().directBuffer(bytes).writeLong(measured ? due : NOT_MEASURED).writeZero(bytes - Long.BYTES));
                session.flush();
                load.meter().sent(bytes);
                sent += measured ? 1 : 0;
            }
        }
    }

    private static void sleepUntil(long dueNs) {
        for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
