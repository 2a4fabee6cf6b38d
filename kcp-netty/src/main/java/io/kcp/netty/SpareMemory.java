package io.kcp.netty;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives back what a burst left behind in sessions that have paused: large arrays of their windows, and partly filled groups
 * of their FEC encoders. Sessions that hold such memory are in a list, which one task looks at twice a second while it is
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
            return session.fec.holdsGroup() || session.kcp().holdsSpareMemory();
        }

        private void trim() {
            if (session.isServed()) {
                session.fec.abandonGroup();
                session.kcp().trim();
            }
        }
    }

    private final EventLoop loop;
    private final Runnable onInterval = this::look;
    private @Nullable Entry first;

    SpareMemory(EventLoop loop) {
        this.loop = loop;
    }

    /** To be called after whatever a session did. */
    void onActivity(Entry entry) {
        entry.active = true;
        if (!entry.listed && entry.holdsSpareMemory()) {
            entry.listed = true;
            entry.next = first;
            if (first == null) {
                schedule();
            }
            first = entry;
        }
    }

    private void schedule() {
        if (!loop.isShuttingDown()) {
            loop.schedule(onInterval, INTERVAL_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        Entry entry = first;
        first = null;
        Entry kept = null;
        while (entry != null) {
            Entry next = entry.next;
            entry.next = null;
            if (entry.active && entry.session.isServed()) {
                entry.active = false;
                entry.next = kept;
                kept = entry;
            } else {
                entry.listed = false;
                entry.trim();
            }
            entry = next;
        }
        first = kept;
        if (kept != null) {
            schedule();
        }
    }
}
