package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Workload in which each slot repeatedly opens a session, makes one round trip, and closes the session. The next session is opened without
 * waiting until the previous one is closed.
 */
final class ChurnWorkload implements Workload {

    private static final long REPLY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long WATCH_MS = 100;

    private final Load load;
    private final byte[] message;
    private final Recorder openToResponseNs = new Recorder(3);
    private final LongAdder failures = new LongAdder();
    private volatile boolean finished;

    ChurnWorkload(Load load) {
        this.load = load;
        message = Load.block(Math.max(Long.BYTES, load.setup().writeBytes()));
        ByteBuffer.wrap(message).putLong(EchoListener.GOODBYE);
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < load.options().sessions(Work.CHURN); i++) {
            Slot slot = new Slot();
            slots.add(slot);
            slot.open();
        }
        ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("watch", true));
        watch.scheduleWithFixedDelay(() -> slots.forEach(Slot::watch), WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
        Waiting.sleep(load.options().warmupSeconds);
        openToResponseNs.reset();
        failures.reset();
        Load.Interval interval = load.measureDuring(() -> Waiting.sleep(load.options().seconds));
        Histogram ns = openToResponseNs.getIntervalHistogram();
        long failed = failures.sum();
        finished = true;
        watch.shutdownNow();
        return interval.addTo(Events.addMicroseconds(Events.event("result").put("work", "churn").put("sessions", ns.getTotalCount())
            .put("sessions_s", ns.getTotalCount() / interval.load().seconds()).put("failures", failed), ns));
    }

    /** Runs one {@link Attempt} at a time. */
    private final class Slot {

        private @Nullable Attempt current;

        void open() {
            if (!finished) {
                Attempt attempt = new Attempt(this);
                synchronized (this) {
                    current = attempt;
                }
                load.connect(attempt);
            }
        }

        /** Ends an attempt, and returns {@code false} if it has already ended. */
        synchronized boolean end(Attempt attempt) {
            boolean own = current == attempt;
            current = own ? null : current;
            return own;
        }

        /** Ends an attempt without a reply, and opens the next session after a failure. */
        void watch() {
            Attempt attempt;
            synchronized (this) {
                attempt = current;
            }
            if (attempt == null) {
                open();
            } else if (System.nanoTime() - attempt.startNs > REPLY_TIMEOUT_NS) {
                attempt.failed(new IllegalStateException("no reply"));
            }
        }
    }

    /** Opens one session and measures its round trip. */
    private final class Attempt implements SessionListener {

        private final Slot slot;
        private final ExpectedReply reply = new ExpectedReply(message);
        private final long startNs = System.nanoTime();
        private volatile @Nullable Session session;

        Attempt(Slot slot) {
            this.slot = slot;
        }

        @Override
        public void opened(Session opened) {
            session = opened;
            load.meter().sent(message.length, 1);
            opened.write(opened.alloc().directBuffer(message.length).writeBytes(message));
            opened.flush();
        }

        @Override
        public void received(Session from, ByteBuf piece) {
            int bytes = piece.readableBytes();
            load.meter().received(bytes, 1);
            if (reply.completes(piece) && slot.end(this)) {
                openToResponseNs.recordValue(System.nanoTime() - startNs);
                from.close();
                slot.open();
            }
        }

        /** Counts the failure. The watch opens the next session, so that a server that refuses sessions causes no endless loop. */
        @Override
        public void failed(Throwable cause) {
            Session opened = session;
            if (slot.end(this) && !finished) {
                failures.increment();
                if (opened != null) {
                    opened.close();
                }
            }
        }
    }
}
