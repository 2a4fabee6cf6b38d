package io.kcp.bench.rig;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Sends the messages of one event loop's sessions on schedule, and records the delays of the echoes. */
final class FleetPacer implements Runnable {

    /**
     * Schedule that determines when the sessions send their messages.
     *
     * @param periodNs   time between two messages of one session
     * @param measuredNs start of the measured time; messages before it are the warm-up
     * @param endNs      end of the measured time
     * @param stopsAtEnd whether sending stops at the end; otherwise it continues without measurement
     */
    record Schedule(long periodNs, long measuredNs, long endNs, boolean stopsAtEnd) {

        boolean isMeasured(long scheduledNs) {
            return scheduledNs - measuredNs >= 0 && scheduledNs - endNs < 0;
        }
    }

    /** A session and the scheduled time of its first message. */
    record Slot(TimedSession session, long firstNs) {
    }

    /** Maximum number of messages per task. An event loop that is behind schedule must also read acknowledgements to catch up. */
    private static final int MAX_MESSAGES_PER_TASK = 64;

    private final ScheduledExecutorService loop;
    private final List<Slot> slots;
    private final Schedule schedule;
    private final Recorder delaysNs = new Recorder(3);
    private final AtomicLong sent = new AtomicLong();
    private final LongAdder returned = new LongAdder();
    private int next;
    private long roundNs;
    private volatile boolean allSent;

    /** Creates a pacer for sessions that are sorted by the scheduled time of each session's first message. */
    FleetPacer(ScheduledExecutorService loop, List<Slot> slots, Schedule schedule) {
        this.loop = loop;
        this.slots = slots;
        this.schedule = schedule;
        slots.forEach(slot -> slot.session.onReturn(this::onReturn));
    }

    @Override
    public void run() {
        long dueNs = dueNs();
        for (int messages = 0; messages < MAX_MESSAGES_PER_TASK && dueNs - System.nanoTime() <= 0 && !isStopped(dueNs); messages++) {
            boolean measured = schedule.isMeasured(dueNs);
            if (measured) {
                sent.lazySet(sent.get() + 1);
            }
            slots.get(next).session.send(measured ? dueNs : TimedSession.NOT_MEASURED);
            if (++next == slots.size()) {
                next = 0;
                roundNs += schedule.periodNs;
            }
            dueNs = dueNs();
        }
        allSent = dueNs - schedule.endNs >= 0;
        if (!loop.isShutdown() && !isStopped(dueNs)) {
            loop.schedule(this, Math.max(1, dueNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private boolean isStopped(long dueNs) {
        return schedule.stopsAtEnd && dueNs - schedule.endNs >= 0;
    }

    private long dueNs() {
        return slots.get(next).firstNs + roundNs;
    }

    private void onReturn(long scheduledNs) {
        if (scheduledNs != TimedSession.NOT_MEASURED) {
            delaysNs.recordValue(Math.max(0, System.nanoTime() - scheduledNs));
            returned.increment();
        }
    }

    /** Returns the number of measured messages that have been sent. */
    long sent() {
        return sent.get();
    }

    /**
     * Returns {@code true} if all measured messages have been sent. If this machine is behind schedule, the final messages are sent after
     * the measured time has ended.
     */
    boolean hasSentAll() {
        return allSent;
    }

    boolean hasReceivedAll() {
        return allSent && returned.sum() >= sent.get();
    }

    /** Returns the delays that have been recorded since the previous call of this method. */
    Histogram delaysNs() {
        return delaysNs.getIntervalHistogram();
    }
}
