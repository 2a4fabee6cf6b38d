package io.kcp.netty.internal.loop;

import io.kcp.core.conversation.Kcp;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.DeadlineHeap;
import io.kcp.netty.internal.session.LivenessWheel;
import io.kcp.netty.internal.session.SessionQueue;
import io.kcp.netty.internal.stats.LongestDelay;
import io.kcp.netty.internal.stats.SessionEventListener;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The timers of all sessions of one event loop. Each session has at most one deadline, at which it is flushed or continues an interrupted
 * delivery, and at most one check of its keepalive, its idle timeout and its first-message timeout. Idle sessions cost no CPU, except that
 * one task per second polls the {@link LivenessWheel} while any session uses keepalive or such a timeout.
 *
 * <p>All methods must be called on the event loop.
 */
public final class SessionTimers {

    /**
     * Maximum number of sessions whose timers run in one event-loop iteration. They take a fraction of a millisecond, after which the event
     * loop polls for datagrams again.
     */
    public static final int MAX_SESSIONS_PER_ITERATION = 256;
    /** Number of sessions with a deadline from which on the deadlines of longer waits are rounded up. */
    private static final int MANY_DEADLINES = 16;
    /** The deadlines of many sessions are rounded up to a multiple of this time in milliseconds, which must be a power of two. */
    private static final int ROUNDED_MS = 4;
    /** Minimum wait in milliseconds that is rounded. Shorter waits, such as those of paced segments, are exact. */
    private static final int MIN_ROUNDED_WAIT_MS = 8;

    private final LoopContext context;
    private final EventLoop loop;
    private final Backlogs backlogs;
    private final DeadlineHeap deadlines = new DeadlineHeap();
    private final LivenessWheel wheel = new LivenessWheel();
    private final LongestDelay delay = new LongestDelay();
    private final SessionQueue.Due dueSessions = new SessionQueue.Due();
    private final Runnable onDeadline = this::runDeadlines;
    private final Runnable onSweep = this::sweep;
    private final Consumer<AbstractSession> deadlineVisit = this::serveDeadline;
    private final Consumer<AbstractSession> sweepVisit = this::serveSweep;
    private @Nullable ScheduledFuture<?> scheduled;
    private long scheduledAtMs;
    private @Nullable Future<?> sweeping;
    private boolean visiting;
    private boolean sweepsAgain;
    private boolean readsFirst;

    SessionTimers(LoopContext context, EventLoop loop, Backlogs backlogs) {
        this.context = context;
        this.loop = loop;
        this.backlogs = backlogs;
    }

    /** Returns {@code true} from a late timer until the event loop has read its sockets. */
    boolean readsFirst() {
        return readsFirst;
    }

    /** Returns the longest delay of a timer within the last one to two minutes, in milliseconds. */
    public long maxDelayMs() {
        return delay.maxMs(context.nowMs());
    }

    /**
     * Schedules one call of {@link AbstractSession#onDeadline} after {@code waitMs} milliseconds, or cancels the call if {@code waitMs} is
     * {@link Kcp#NO_DEADLINE}.
     */
    public void schedule(AbstractSession session, int waitMs, long nowMs) {
        if (waitMs == Kcp.NO_DEADLINE) {
            // Does not cancel the scheduled task, because request-response traffic would otherwise cancel and reschedule a task for each
            // message.
            deadlines.remove(session);
            return;
        }
        // Waits at least one millisecond, because all due segments have just been sent and a delay of 0 would keep the event loop busy.
        deadlines.set(session, rounded(nowMs + Math.max(waitMs, 1), waitMs));
        arm();
    }

    /** Makes {@link AbstractSession#onDeadline} run within {@code waitMs} milliseconds, unless an earlier call is scheduled. */
    public void scheduleWithin(AbstractSession session, int waitMs, long nowMs) {
        if (!deadlines.contains(session) || session.deadlineMs() - nowMs > waitMs) {
            schedule(session, waitMs, nowMs);
        }
    }

    /**
     * Returns a deadline, rounded up if many sessions have deadlines. One task then serves the delayed acknowledgements and retransmission
     * timers of several sessions, and their datagrams share system calls.
     */
    private long rounded(long dueMs, int waitMs) {
        boolean isRounded = waitMs >= MIN_ROUNDED_WAIT_MS && deadlines.size() >= MANY_DEADLINES;
        return isRounded ? dueMs + ROUNDED_MS - 1 & -ROUNDED_MS : dueMs;
    }

    /**
     * Schedules {@link AbstractSession#onDeadline} for the next event-loop iteration, in which it runs after the loop has polled for
     * datagrams.
     */
    public void scheduleNextIteration(AbstractSession session, long nowMs) {
        deadlines.set(session, nowMs);
        arm();
    }

    /** Cancels the deadline and the check of a session. */
    public void remove(AbstractSession session) {
        deadlines.remove(session);
        wheel.remove(session);
        if (deadlines.isEmpty()) {
            unschedule();
        }
        if (wheel.isEmpty()) {
            stopSweeping();
        }
    }

    /**
     * Schedules one call of {@link AbstractSession#onSweep} at {@code dueMs}, or cancels the call if {@code dueMs} is negative. The
     * resolution is one second.
     */
    public void watch(AbstractSession session, long dueMs, long nowMs) {
        wheel.remove(session);
        if (dueMs >= 0) {
            wheel.add(session, dueMs, nowMs);
            if (sweeping == null) {
                sweeping = loop.scheduleAtFixedRate(onSweep, 1, 1, TimeUnit.SECONDS);
            }
        } else if (wheel.isEmpty()) {
            stopSweeping();
        }
    }

    private void arm() {
        AbstractSession first = deadlines.first();
        if (first == null) {
            return;
        }
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            if (scheduledAtMs <= first.deadlineMs()) {
                return;
            }
            scheduled = null;
            task.cancel(false);
        }
        // Reads the clock again, because serving sessions may have taken time. If there is no memory for the task, the next call of arm()
        // schedules it.
        scheduled = loop.schedule(onDeadline, Math.max(first.deadlineMs() - context.nowMs(), 0), TimeUnit.MILLISECONDS);
        scheduledAtMs = first.deadlineMs();
    }

    private void unschedule() {
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            scheduled = null;
            task.cancel(false);
        }
    }

    private void stopSweeping() {
        Future<?> task = sweeping;
        if (task != null) {
            sweeping = null;
            task.cancel(false);
        }
    }

    private void runDeadlines() {
        scheduled = null;
        if (visiting) {
            // The call of visitDue() that is in progress schedules the next deadline task before it returns.
            return;
        }
        long nowMs = context.nowMs();
        if (!readsFirst && recordDelay(nowMs) >= LoopContext.READ_FIRST_MS) {
            readsFirst = true;
            scheduled = loop.schedule(onDeadline, 0, TimeUnit.MILLISECONDS);
            return;
        }
        readsFirst = false;
        backlogs.onDeadlines();
        AbstractSession due = deadlines.first();
        for (int count = 0; count < MAX_SESSIONS_PER_ITERATION && due != null && due.deadlineMs() <= nowMs; count++) {
            deadlines.remove(due);
            dueSessions.add(due);
            due = deadlines.first();
        }
        visitDue(deadlineVisit);
    }

    private long recordDelay(long nowMs) {
        long delayMs = nowMs - scheduledAtMs;
        delay.add(delayMs, nowMs);
        if (delayMs >= SessionEventListener.LATE_MS) {
            LoopContext.EVENTS.late(delayMs, deadlines.size());
        }
        return delayMs;
    }

    private void sweep() {
        if (visiting) {
            sweepsAgain = true;
            return;
        }
        long nowMs = context.nowMs();
        int count = 0;
        AbstractSession due = wheel.pollDue(nowMs);
        while (due != null) {
            dueSessions.add(due);
            due = ++count < MAX_SESSIONS_PER_ITERATION ? wheel.pollDue(nowMs) : null;
        }
        sweepsAgain = count == MAX_SESSIONS_PER_ITERATION;
        try {
            visitDue(sweepVisit);
        } catch (OutOfMemoryError shortage) {
            // A task could not be scheduled. The error is ignored, because the next sweep tries again, whereas an exception would cancel
            // all further sweeps.
        }
    }

    private void serveDeadline(AbstractSession session) {
        session.onDeadline(context.recentNowMs());
    }

    private void serveSweep(AbstractSession session) {
        session.onSweep(context.recentNowMs());
    }

    /** Serves all due sessions before their datagram channels are flushed, so that the datagrams of several sessions share system calls. */
    private void visitDue(Consumer<AbstractSession> visit) {
        // Prevents recursive calls through a channel that runs pending tasks on each write, such as EmbeddedChannel.
        visiting = true;
        try {
            for (AbstractSession session = dueSessions.first(); session != null; session = dueSessions.next(session)) {
                try {
                    visit.accept(session);
                } catch (RuntimeException | OutOfMemoryError failure) {
                    session.failWith(failure);
                }
            }
            for (AbstractSession session = dueSessions.poll(); session != null; session = dueSessions.poll()) {
                session.flushWritten();
            }
        } finally {
            dueSessions.clear();
            visiting = false;
            arm();
            if (sweepsAgain) {
                sweepsAgain = false;
                loop.schedule(onSweep, 0, TimeUnit.NANOSECONDS);
            }
        }
    }
}
