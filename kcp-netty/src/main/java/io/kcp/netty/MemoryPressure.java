package io.kcp.netty;

import io.kcp.core.HeldBytes;
import io.kcp.core.HeldMemory;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Ends a shortage of memory for sessions. While sessions of the loop are held up by {@link HeldMemory}, one task polls them
 * twice a second: it resumes the sessions that may hold more again, and closes the session that holds most if it has kept four
 * times its share for some seconds.
 */
final class MemoryPressure {

    static final int INTERVAL_MS = 500;
    /** Long enough for a peer that is slow for a moment; short enough for the users of the other sessions. */
    static final int GRACE_MS = 5_000;
    private static final int RESUMED_A_TURN = 256;

    private final EventLoop loop;
    private final HeldMemory held;
    private final LongSupplier nowMs;
    private final Set<DefaultKcpChannel> constrained = new LinkedHashSet<>();
    private final Runnable onInterval = this::poll;
    private boolean scheduled;
    private boolean hoarding;
    private long hoardingSinceMs;

    MemoryPressure(EventLoop loop, HeldMemory held, LongSupplier nowMs) {
        this.loop = loop;
        this.held = held;
        this.nowMs = nowMs;
    }

    /** To be called after each activity of a session. */
    void onActivity(DefaultKcpChannel session) {
        if (session.kcp().held().isConstrained() && constrained.add(session)) {
            schedule(INTERVAL_MS);
        }
    }

    private void schedule(int delayMs) {
        if (!scheduled && !loop.isShuttingDown()) {
            loop.schedule(onInterval, delayMs, TimeUnit.MILLISECONDS);
            scheduled = true;
        }
    }

    private void poll() {
        scheduled = false;
        boolean more = false;
        try {
            closeHoarder(nowMs.getAsLong());
            more = resume();
        } catch (OutOfMemoryError shortage) {
            // The next poll tries again.
        }
        if (constrained.isEmpty()) {
            hoarding = false;
        } else {
            schedule(more ? 1 : INTERVAL_MS);
        }
    }

    private void closeHoarder(long now) {
        HeldBytes hoarder = held.findHoarder();
        if (hoarder == null) {
            hoarding = false;
        } else if (!hoarding) {
            hoarding = true;
            hoardingSinceMs = now;
        } else if (now - hoardingSinceMs >= GRACE_MS && hoarder.owner() instanceof DefaultKcpChannel session) {
            session.closeWith(KcpCloseReason.MEMORY_LIMIT, new IllegalStateException(session + " holds " + hoarder.bytes()
                + " bytes, and all sessions of its event loop hold " + held.heldBytes() + " (limit: " + held.maxHeldBytes()
                + "). Read and write no faster than the peer; or raise -XX:MaxDirectMemorySize and -Xmx."));
        }
    }

    /** Resumes sessions that are not constrained any more; returns whether there are more of them. */
    private boolean resume() {
        List<DefaultKcpChannel> resumed = new ArrayList<>();
        for (Iterator<DefaultKcpChannel> sessions = constrained.iterator(); sessions.hasNext() && resumed.size() < RESUMED_A_TURN;) {
            DefaultKcpChannel session = sessions.next();
            if (!session.isActive()) {
                sessions.remove();
            } else if (!session.kcp().held().isConstrained()) {
                sessions.remove();
                resumed.add(session);
            }
        }
        resumed.forEach(session -> session.handler().resume(session));
        return resumed.size() == RESUMED_A_TURN;
    }
}
