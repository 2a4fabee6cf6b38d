package io.kcp.netty;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one socket that are younger than {@value #MAX_AGE_MS} ms and whose peer has not yet proved that it receives what is
 * sent to its address, in the order in which they were opened. These may come from forged addresses, and are closed first when there
 * are too many sessions or too little memory. Threat T1 of the hardening notes.
 *
 * @param <S> the type of a session
 */
final class UnvalidatedSessions<S> {

    /** Older sessions count as established: a peer that only sends never has anything to prove. */
    static final long MAX_AGE_MS = 10_000;

    /** One session of the list; it stays with the session until that is validated. */
    static final class Entry<S> {
        private final S session;
        private final long openedAtMs;
        private boolean listed = true;
        private @Nullable Entry<S> previous;
        private @Nullable Entry<S> next;

        private Entry(S session, long openedAtMs) {
            this.session = session;
            this.openedAtMs = openedAtMs;
        }
    }

    private final IntConsumer size;
    private @Nullable Entry<S> oldest;
    private @Nullable Entry<S> newest;

    /**
     * Creates an empty list.
     *
     * @param size receives each change of the number of listed sessions, 1 or -1
     */
    UnvalidatedSessions(IntConsumer size) {
        this.size = size;
    }

    /** Removes the sessions that are too old. Newcomers call it, so a socket without newcomers lists old sessions until they close. */
    void expire(long nowMs) {
        for (Entry<S> entry = oldest; entry != null && nowMs - entry.openedAtMs >= MAX_AGE_MS; entry = oldest) {
            remove(entry);
        }
    }

    /** Lists a session that is opened now. */
    Entry<S> add(S session, long nowMs) {
        Entry<S> entry = new Entry<>(session, nowMs);
        Entry<S> last = newest;
        entry.previous = last;
        if (last == null) {
            oldest = entry;
        } else {
            last.next = entry;
        }
        newest = entry;
        size.accept(1);
        return entry;
    }

    /** Removes a session that is validated or closed; does nothing if it is no longer listed. */
    void remove(Entry<S> entry) {
        if (!entry.listed) {
            return;
        }
        entry.listed = false;
        Entry<S> before = entry.previous;
        Entry<S> after = entry.next;
        if (before == null) {
            oldest = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.previous = before;
        }
        entry.previous = null;
        entry.next = null;
        size.accept(-1);
    }

    /** Removes the oldest session and returns it, null if none is listed. */
    @Nullable S pollOldest() {
        Entry<S> entry = oldest;
        if (entry == null) {
            return null;
        }
        remove(entry);
        return entry.session;
    }
}
