package io.kcp.netty.internal.session;

import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SessionMemory;
import io.netty.channel.EventLoop;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Ends memory shortages of one event loop by closing sessions that hold a lot of memory without making progress. While {@link MemoryLimit}
 * pauses any session, a task polls the paused sessions twice a second. It resumes sessions that may hold more memory again. It closes
 * sessions that have held more than their share for some seconds without making progress, as many as necessary to end the shortage.
 *
 * <p>Also evicts unvalidated sessions, whose peers may be forged addresses, as soon as they together hold more than a quarter of the limit.
 */
public final class MemoryPressure {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.KcpHandler");

    /** Interval in milliseconds between two polls of the paused sessions. */
    public static final int INTERVAL_MS = 500;
    /**
     * Time in milliseconds for which a session may exceed its share during a memory shortage without making progress. It tolerates a
     * briefly slow peer, but ends a shortage soon.
     */
    public static final int GRACE_MS = 5_000;
    /** Index of the user-defined writability flag of this class. The flags 1 and 2 are used by the classes of {@code io.kcp.netty}. */
    private static final int WRITABLE_MEMORY = 31;
    /** Limits how many sessions one task resumes, and how many it closes. */
    private static final int SESSIONS_PER_TASK = 256;

    private final EventLoop loop;
    private final MemoryLimit memoryLimit;
    private final LongSupplier nowMs;
    private final Set<AbstractSession> constrained = new LinkedHashSet<>();
    private final Runnable onInterval = this::poll;
    private final Runnable onExcess = this::evict;
    private boolean scheduled;
    private boolean evictionScheduled;
    private boolean polling;
    private boolean failed;
    /** The latest time in milliseconds at which the event loop had enough memory. */
    private long sufficientAtMs;

    /** Creates a monitor for the memory of one event loop. */
    public MemoryPressure(EventLoop loop, MemoryLimit memoryLimit, LongSupplier nowMs) {
        this.loop = loop;
        this.memoryLimit = memoryLimit;
        this.nowMs = nowMs;
    }

    MemoryLimit memoryLimit() {
        return memoryLimit;
    }

    /**
     * Updates the writability of a session, and starts polling the session if it is paused. This method must be called after each activity
     * of the session, and when a write exceeds the session's share of memory.
     */
    public void onActivity(AbstractSession session) {
        SessionMemory bytes = session.kcp().memory();
        if (memoryLimit.isUnvalidatedExceeded() && !evictionScheduled && !loop.isShuttingDown()) {
            // Evicts the sessions in a separate task, because the handlers of one of them may be running.
            loop.execute(onExcess);
            evictionScheduled = true;
        }
        if (bytes.isConstrained()) {
            if (constrained.isEmpty() && !polling) {
                sufficientAtMs = nowMs.getAsLong();
            }
            constrained.add(session);
            schedule(INTERVAL_MS);
        }
        if (!constrained.isEmpty()) {
            session.setWritability(WRITABLE_MEMORY, bytes.mayWrite());
        }
    }

    private void schedule(int delayMs) {
        // A poll schedules its successor itself, because only the poll knows the delay.
        if (!scheduled && !polling && !loop.isShuttingDown()) {
            loop.schedule(onInterval, delayMs, TimeUnit.MILLISECONDS);
            scheduled = true;
        }
    }

    private void poll() {
        scheduled = false;
        polling = true;
        boolean more = false;
        try {
            more = attempt(() -> closeStuck(nowMs.getAsLong()));
            more |= attempt(this::resume);
        } finally {
            polling = false;
            if (!constrained.isEmpty()) {
                schedule(more ? 1 : INTERVAL_MS);
            }
        }
    }

    /** Runs one step of a poll. Returns {@code true} if the step should be repeated soon. The next poll repeats a step that failed. */
    private boolean attempt(BooleanSupplier step) {
        try {
            return step.getAsBoolean();
        } catch (OutOfMemoryError shortage) {
            return false;
        } catch (RuntimeException mistake) {
            if (!failed) {
                failed = true;
                LOGGER.warn("Cannot resume or close the sessions that are paused because memory is short. Trying again every {} ms. "
                    + "Later failures of this event loop are not logged.", INTERVAL_MS, mistake);
            }
            return false;
        }
    }

    /** Closes sessions that hold scarce memory without making progress. Returns {@code true} if more of them remain. */
    private boolean closeStuck(long now) {
        if (!memoryLimit.isShort()) {
            sufficientAtMs = now;
        }
        List<SessionMemory> stuck = memoryLimit.findStuck(now, GRACE_MS);
        if (now - sufficientAtMs < GRACE_MS) {
            return false;
        }
        stuck.stream().limit(SESSIONS_PER_TASK).forEach(this::close);
        return stuck.size() > SESSIONS_PER_TASK;
    }

    /** Closes unvalidated sessions until the others together hold no more memory than unvalidated sessions may hold. */
    private void evict() {
        evictionScheduled = false;
        attempt(() -> {
            memoryLimit.findUnvalidatedExcess().stream().limit(SESSIONS_PER_TASK).forEach(excess -> {
                if (excess.owner() instanceof SessionBoundOutput output) {
                    output.session().evict();
                }
            });
            return false;
        });
    }

    private void close(SessionMemory stuck) {
        if (stuck.owner() instanceof SessionBoundOutput output) {
            AbstractSession session = output.session();
            session.closeForMemory(new IllegalStateException(session + " has held " + stuck.bytes()
                + " bytes without progress, and all sessions of its event loop hold " + memoryLimit.heldBytes() + " (limit: "
                + memoryLimit.maxHeldBytes() + "). Read received messages promptly, write only while isWritable() is true, or raise "
                + "-XX:MaxDirectMemorySize and -Xmx."));
        }
    }

    /** Resumes paused sessions for which enough memory is available again. Returns {@code true} if more of them may remain. */
    private boolean resume() {
        List<AbstractSession> resumed = new ArrayList<>();
        for (Iterator<AbstractSession> sessions = constrained.iterator(); sessions.hasNext() && resumed.size() < SESSIONS_PER_TASK;) {
            AbstractSession session = sessions.next();
            if (!session.isServed()) {
                sessions.remove();
            } else if (!session.kcp().memory().isConstrained()) {
                resumed.add(session);
            }
        }
        for (AbstractSession session : resumed) {
            session.setWritability(WRITABLE_MEMORY, true);
            // Removes the session only after setWritable() has returned, so that the next poll repeats setWritable() if it has thrown an
            // OutOfMemoryError.
            constrained.remove(session);
            session.resume();
        }
        return resumed.size() == SESSIONS_PER_TASK;
    }
}
