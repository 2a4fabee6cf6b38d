package io.kcp.netty;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one socket whose peer has not yet proved that it receives what is sent to its address, in the order in which they
 * were opened. These may come from forged addresses, and are closed first when there are too many sessions or too little memory.
 * Threat T1 of the hardening notes.
 *
 * <p>Only sessions younger than {@value #MAX_AGE_MS} ms count as unvalidated. A peer that only sends has nothing to acknowledge, so an
 * older session may be legitimate: only a full server evicts it, and only until it has received {@value #ESTABLISHED_DATAGRAMS}
 * datagrams.
 *
 * @param <S> the type of a session
 */
final class UnvalidatedSessions<S> {

    static final long MAX_AGE_MS = 10_000;
    /** A full server evicts older sessions first, so that clients which connect at the same time do not evict one another. */
    static final long ROUND_TRIP_MS = 500;
    static final int ESTABLISHED_DATAGRAMS = 16;

    /** One session of a list; it stays with the session until that is validated. */
    static final class Entry<S> {
        private final S session;
        private final long openedAtMs;
        private int datagrams;
        private @Nullable Chain<S> chain;
        private @Nullable Entry<S> previous;
        private @Nullable Entry<S> next;

        private Entry(S session, long openedAtMs) {
            this.session = session;
            this.openedAtMs = openedAtMs;
        }
    }

    /** A linked list, the oldest session first. */
    private static final class Chain<S> {
        private @Nullable Entry<S> oldest;
        private @Nullable Entry<S> newest;

        void add(Entry<S> entry) {
            Entry<S> last = newest;
            entry.chain = this;
            entry.previous = last;
            if (last == null) {
                oldest = entry;
            } else {
                last.next = entry;
            }
            newest = entry;
        }

        void remove(Entry<S> entry) {
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
            entry.chain = null;
            entry.previous = null;
            entry.next = null;
        }
    }

    private final IntConsumer size;
    private final Chain<S> young = new Chain<>();
    private final Chain<S> aged = new Chain<>();

    /**
     * Creates an empty list.
     *
     * @param size receives each change of the number of young sessions, 1 or -1
     */
    UnvalidatedSessions(IntConsumer size) {
        this.size = size;
    }

    /** Returns {@code true} if there is no session to evict. */
    boolean isEmpty() {
        return young.oldest == null && aged.oldest == null;
    }

    /** Stops counting the sessions that have become too old. */
    void expire(long nowMs) {
        for (Entry<S> entry = young.oldest; entry != null && nowMs - entry.openedAtMs >= MAX_AGE_MS; entry = young.oldest) {
            remove(entry);
            if (entry.datagrams < ESTABLISHED_DATAGRAMS) {
                aged.add(entry);
            }
        }
    }

    /** Returns in how many milliseconds {@link #expire} has something to do, -1 if no session is young. */
    long msUntilExpiry(long nowMs) {
        Entry<S> entry = young.oldest;
        return entry == null ? -1 : Math.max(0, entry.openedAtMs + MAX_AGE_MS - nowMs);
    }

    /** Lists a session that is opened now. */
    Entry<S> add(S session, long nowMs) {
        Entry<S> entry = new Entry<>(session, nowMs);
        young.add(entry);
        size.accept(1);
        return entry;
    }

    /** Counts a datagram that a session has accepted. */
    void onDatagram(Entry<S> entry) {
        entry.datagrams++;
        if (entry.chain == aged && entry.datagrams >= ESTABLISHED_DATAGRAMS) {
            remove(entry);
        }
    }

    /** Removes a session that is validated or closed; does nothing if it is no longer listed. */
    void remove(Entry<S> entry) {
        Chain<S> chain = entry.chain;
        if (chain != null) {
            chain.remove(entry);
            if (chain == young) {
                size.accept(-1);
            }
        }
    }

    /** Removes the oldest young session and returns it, null if there is none. */
    @Nullable S pollOldest() {
        return poll(young.oldest);
    }

    /**
     * Removes the session that a full server evicts, and returns it, null if none is listed. That is the oldest young session if its
     * first round trip is over, otherwise the oldest aged session, otherwise the oldest young one.
     */
    @Nullable S pollEvictable(long nowMs) {
        Entry<S> first = young.oldest;
        boolean youngFirst = first != null && (nowMs - first.openedAtMs >= ROUND_TRIP_MS || aged.oldest == null);
        return poll(youngFirst ? first : aged.oldest);
    }

    private @Nullable S poll(@Nullable Entry<S> entry) {
        if (entry == null) {
            return null;
        }
        remove(entry);
        return entry.session;
    }
}
