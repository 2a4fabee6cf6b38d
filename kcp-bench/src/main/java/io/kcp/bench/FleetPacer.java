package io.kcp.bench;

import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** Has the sessions of one event loop send when it is time, and takes the delays of what comes back. Runs on that loop. */
final class FleetPacer implements Runnable {

    /** A session and when it sends first; lists of them are in the order of that time. */
    record Slot(FleetSession session, long firstNs) {
    }

    /** A loop that is late must read, too: it would never catch up with what is not acknowledged. */
    private static final int MOST_AT_ONCE = 64;

    private final EventLoop loop;
    private final List<Slot> slots;
    private final long periodNs;
    private final long measuredNs;
    private final long endNs;
    private final SingleWriterRecorder delaysNs = new SingleWriterRecorder(3);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private int next;
    private long turnNs;
    private volatile boolean allSent;

    /** Messages planned between {@code measuredNs} and {@code endNs} count. */
    FleetPacer(EventLoop loop, List<Slot> slots, long periodNs, long measuredNs, long endNs) {
        this.loop = loop;
        this.slots = slots;
        this.periodNs = periodNs;
        this.measuredNs = measuredNs;
        this.endNs = endNs;
        slots.forEach(slot -> slot.session.setPacer(this));
    }

    @Override
    public void run() {
        long dueNs = dueNs();
        for (int messages = 0; messages < MOST_AT_ONCE && dueNs - System.nanoTime() <= 0; messages++) {
            if (isMeasured(dueNs)) {
                sent.lazySet(sent.get() + 1);
            }
            slots.get(next).session.send(dueNs);
            if (++next == slots.size()) {
                next = 0;
                turnNs += periodNs;
            }
            dueNs = dueNs();
        }
        allSent = dueNs - endNs >= 0;
        if (!loop.isShuttingDown()) {
            loop.schedule(this, Math.max(1, dueNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private long dueNs() {
        return slots.get(next).firstNs + turnNs;
    }

    private boolean isMeasured(long plannedNs) {
        return plannedNs - measuredNs >= 0 && plannedNs - endNs < 0;
    }

    /** A message is back; on the event loop. */
    void returned(long plannedNs) {
        if (isMeasured(plannedNs)) {
            delaysNs.recordValue(Math.max(0, System.nanoTime() - plannedNs));
            returned.lazySet(returned.get() + 1);
        }
    }

    long sent() {
        return sent.get();
    }

    /** Whether something that counts has not been sent, because this machine is late, or is not back yet. */
    boolean isWaiting() {
        return !allSent || returned.get() < sent.get();
    }

    /** What counts and came back since the last call. */
    Histogram delaysNs() {
        return delaysNs.getIntervalHistogram();
    }
}
