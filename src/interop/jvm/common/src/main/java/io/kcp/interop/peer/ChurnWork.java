package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Runs the {@code churn} scenario, in which each slot repeatedly opens a session, makes one round trip, and closes the session. */
final class ChurnWork implements Work {

    private static final int MESSAGE_BYTES = 64;
    private static final long ANSWER_NS = 5_000_000_000L;
    private static final long WATCH_MS = 100;

    private final Load load;
    private final int slotCount;
    private final Delays delays = new Delays();
    private final AtomicLong failures = new AtomicLong();
    /** Opens sessions on separate threads. Opening a session blocks in some libraries, so a callback must not open the next session. */
    private final Executor opener;
    private volatile boolean measuring;
    private volatile boolean stopped;

    ChurnWork(Load load) {
        this.load = load;
        slotCount = load.options().number("sessions", 64);
        opener = Executors.newFixedThreadPool(load.options().threads(), Peer::daemon);
    }

    @Override
    public void run() throws Exception {
        Options options = load.options();
        Slot[] slots = new Slot[slotCount];
        for (int i = 0; i < slotCount; i++) {
            slots[i] = new Slot();
            slots[i].next();
        }
        Peer.start("watch", () -> {
            while (!stopped) {
                Thread.sleep(WATCH_MS);
                for (Slot slot : slots) {
                    slot.watch();
                }
            }
        });
        Peer.sleepSeconds(options.warmup());
        JsonLine.event("measuring").print();
        long start = System.nanoTime();
        measuring = true;
        Peer.sleepSeconds(options.seconds());
        measuring = false;
        stopped = true;
        double seconds = (System.nanoTime() - start) / 1e9;
        Peer.finish(JsonLine.event("result").put("sessions_s", delays.count() / seconds)
            .put("p50_us", delays.us(50)).put("p99_us", delays.us(99)).put("failures", failures.get()));
    }

    /** Runs one {@link Attempt} at a time. */
    private final class Slot {

        private Attempt current;

        synchronized void next() {
            if (!stopped) {
                Attempt attempt = new Attempt(this);
                current = attempt;
                opener.execute(attempt::open);
            }
        }

        /** Starts the next attempt and returns {@code true}, or returns {@code false} if {@code attempt} has already ended. */
        synchronized boolean done(Attempt attempt) {
            if (current != attempt) {
                return false;
            }
            current = null;
            next();
            return true;
        }

        void watch() {
            Attempt attempt;
            synchronized (this) {
                attempt = current;
            }
            if (attempt != null && attempt.startNs != 0 && System.nanoTime() - attempt.startNs > ANSWER_NS) {
                attempt.failed(null);
            }
        }
    }

    /** Opens one session and measures its round trip. */
    private final class Attempt extends SessionListener {

        private final Slot slot;
        private volatile long startNs;
        private volatile Session session;

        Attempt(Slot slot) {
            this.slot = slot;
        }

        void open() {
            startNs = System.nanoTime();
            try {
                load.connect(this);
            } catch (Exception failure) {
                failed(failure);
            }
        }

        @Override
        public void opened(Session opened) {
            session = opened;
            opened.write(opened.alloc().directBuffer(MESSAGE_BYTES).writeLong(EchoListener.GOODBYE)
                .writeZero(MESSAGE_BYTES - Long.BYTES));
            opened.flush();
            load.meter().sent(MESSAGE_BYTES);
        }

        @Override
        public void received(Session from, ByteBuf message) {
            long took = System.nanoTime() - startNs;
            load.meter().received(message.readableBytes());
            from.close();
            if (slot.done(this) && measuring) {
                delays.record(took);
            }
        }

        @Override
        public void failed(Throwable cause) {
            Session opened = session;
            if (opened != null) {
                opened.close();
            }
            if (slot.done(this) && !stopped) {
                failures.incrementAndGet();
            }
        }
    }
}
