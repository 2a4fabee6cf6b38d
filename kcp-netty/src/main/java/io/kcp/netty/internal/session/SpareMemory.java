package io.kcp.netty.internal.session;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Frees memory that idle sessions still hold after a burst of traffic, such as large window arrays and incomplete FEC groups. Sessions that
 * hold such memory are in a list. While the list is not empty, one task polls it twice a second, and trims and removes each session without
 * activity since the previous poll. A session is therefore trimmed at most one second after its last datagram. The samples from which the
 * shape of FEC groups is detected are kept for {@value #SAMPLE_POLLS} polls. Otherwise the shape of a peer that sends one short burst per
 * second would never be detected.
 */
public final class SpareMemory {

    /** Interval in milliseconds between two polls of the sessions that hold spare memory. */
    public static final int INTERVAL_MS = 500;
    private static final int SAMPLE_POLLS = 20;

    /** The entry of one session in the list of sessions that hold spare memory. */
    public static final class Entry {
        private final AbstractSession session;
        private @Nullable Entry next;
        private boolean listed;
        private boolean active;
        private byte idlePolls;

        /** Creates an entry that is not in the list yet. */
        public Entry(AbstractSession session) {
            this.session = session;
        }

        private boolean holdsSpareMemory() {
            return session.fec.holdsSpareMemory() || session.kcp().holdsSpareMemory();
        }

        /** Frees the memory that an idle session does not need. Returns {@code true} if no memory is left to free later. */
        private boolean trim() {
            if (!session.isServed()) {
                return true;
            }
            session.fec.trim();
            session.kcp().trim();
            idlePolls++;
            if (idlePolls >= SAMPLE_POLLS) {
                session.fec.discardSamples();
            }
            return idlePolls >= SAMPLE_POLLS || !session.fec.holdsSpareMemory();
        }
    }

    private final EventLoop loop;
    private final Runnable onInterval = this::poll;
    private @Nullable Entry first;
    private boolean scheduled;

    /** Creates an instance that tracks no sessions yet and polls its sessions on the given event loop. */
    public SpareMemory(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Records activity of a session, and adds the session to the list if it holds spare memory. Must be called after each activity,
     * including each received FEC shard.
     */
    public void onActivity(Entry entry) {
        entry.active = true;
        if (!entry.listed && entry.holdsSpareMemory()) {
            entry.listed = true;
            entry.next = first;
            first = entry;
        }
        if (first != null) {
            schedule();
        }
    }

    private void schedule() {
        if (!scheduled && !loop.isShuttingDown()) {
            loop.schedule(onInterval, INTERVAL_MS, TimeUnit.MILLISECONDS);
            // Sets the flag only after schedule() has returned, so that the next activity tries again if schedule() runs out of memory.
            scheduled = true;
        }
    }

    private void poll() {
        scheduled = false;
        Entry entry = first;
        first = null;
        while (entry != null) {
            Entry next = entry.next;
            entry.next = null;
            if (mayLeave(entry)) {
                entry.listed = false;
            } else {
                entry.next = first;
                first = entry;
            }
            entry = next;
        }
        if (first != null) {
            schedule();
        }
    }

    /**
     * Frees the spare memory of a session that had no activity since the previous poll. Returns {@code false} if the session stays in the
     * list.
     */
    private static boolean mayLeave(Entry entry) {
        if (entry.active && entry.session.isServed()) {
            entry.active = false;
            entry.idlePolls = 0;
            return false;
        }
        try {
            return entry.trim();
        } catch (OutOfMemoryError shortage) {
            // There was not enough memory to allocate the smaller arrays, so the next poll tries again.
            return false;
        }
    }
}
