package io.kcp.netty;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives back what a burst left behind in sessions that have paused: large arrays of their windows, and incomplete groups
 * of their FEC encoders and decoders. Sessions that hold such memory are in a list, which one task looks at twice a second while it is
 * not empty; a session that did nothing since the look before is trimmed and leaves the list. At most a second after its
 * last datagram a session has its idle size.
 */
final class SpareMemory {

    static final int INTERVAL_MS = 500;

    /** The place of one session in the list. */
    static final class Entry {
        private final DefaultKcpChannel session;
        private @Nullable Entry next;
        private boolean listed;
        private boolean active;

        Entry(DefaultKcpChannel session) {
            this.session = session;
        }

        private boolean holdsSpareMemory() {
            return session.fec.holdsSpareMemory() || session.kcp().holdsSpareMemory();
        }

        private void trim() {
            if (session.isServed()) {
                session.fec.trim();
                session.kcp().trim();
            }
        }
    }

    private final EventLoop loop;
    private final Runnable onInterval = this::look;
    private @Nullable Entry first;
    private boolean scheduled;

    SpareMemory(EventLoop loop) {
        this.loop = loop;
    }

    /** To be called after each activity of a session, and after each FEC shard that it received. */
    void onActivity(Entry entry) {
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
            // Not before: if there is no memory for the task, the next activity schedules it.
            scheduled = true;
        }
    }

    private void look() {
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

    /** Trims a session that did nothing since the look before; returns {@code false} if it stays in the list. */
    private static boolean mayLeave(Entry entry) {
        if (entry.active && entry.session.isServed()) {
            entry.active = false;
            return false;
        }
        try {
            entry.trim();
            return true;
        } catch (OutOfMemoryError shortage) {
            // The smaller array needs memory too; the next look tries again.
            return false;
        }
    }
}
