package io.kcp.netty.admission;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists the unvalidated sessions of one socket, in the order in which they were opened. A session is validated as soon as its peer
 * acknowledges a segment, because only the owner of an address receives the segments that are sent to it. Sessions from forged addresses
 * therefore stay in this list, from which sessions are evicted first when there are too many sessions or too little memory.
 *
 * <p>Only sessions younger than {@value #MAX_AGE_MS} ms count as unvalidated. A peer that only sends has nothing to acknowledge, so an
 * older session may be legitimate. Only a full server evicts such a session, and only until the session has received
 * {@value #ESTABLISHED_DATAGRAMS} datagrams.
 *
 * @param <S> the type of a session
 */
public final class UnvalidatedSessions<S> {

    /** Age in milliseconds at which a session no longer counts as unvalidated. */
    public static final long MAX_AGE_MS = 10_000;
    /**
     * Age in milliseconds below which a full server evicts a session only as a last resort, so that clients that connect at the same time
     * do not evict one another.
     */
    public static final long ROUND_TRIP_MS = 500;
    /** Number of received datagrams after which a session older than {@link #MAX_AGE_MS} is no longer evicted. */
    public static final int ESTABLISHED_DATAGRAMS = 16;

    /** The list entry of one session, which the session references until its peer is validated. */
    public static final class Entry<S> {
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

    /** A linked list that starts with the oldest session. */
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
     * @param size receives each change of the number of sessions younger than {@link #MAX_AGE_MS}, 1 or -1
     */
    public UnvalidatedSessions(IntConsumer size) {
        this.size = size;
    }

    /** Returns {@code true} if there is no session to evict. */
    public boolean isEmpty() {
        return young.oldest == null && aged.oldest == null;
    }

    /** Stops counting sessions as unvalidated when they have reached {@link #MAX_AGE_MS}. */
    public void expire(long nowMs) {
        for (Entry<S> entry = young.oldest; entry != null && nowMs - entry.openedAtMs >= MAX_AGE_MS; entry = young.oldest) {
            remove(entry);
            if (entry.datagrams < ESTABLISHED_DATAGRAMS) {
                aged.add(entry);
            }
        }
    }

    /** Returns the time in milliseconds until the next session reaches {@link #MAX_AGE_MS}, or -1 if there is none. */
    public long msUntilExpiry(long nowMs) {
        Entry<S> entry = young.oldest;
        return entry == null ? -1 : Math.max(0, entry.openedAtMs + MAX_AGE_MS - nowMs);
    }

    /** Adds a session that has just been opened. */
    public Entry<S> add(S session, long nowMs) {
        Entry<S> entry = new Entry<>(session, nowMs);
        young.add(entry);
        size.accept(1);
        return entry;
    }

    /** Counts a datagram that a session has accepted. */
    public void onDatagram(Entry<S> entry) {
        entry.datagrams++;
        if (entry.chain == aged && entry.datagrams >= ESTABLISHED_DATAGRAMS) {
            remove(entry);
        }
    }

    /** Removes a validated or closed session, if it is still in the list. */
    public void remove(Entry<S> entry) {
        Chain<S> chain = entry.chain;
        if (chain != null) {
            chain.remove(entry);
            if (chain == young) {
                size.accept(-1);
            }
        }
    }

    /** Removes and returns the oldest session younger than {@link #MAX_AGE_MS}, or returns null if there is none. */
    public @Nullable S pollOldest() {
        return poll(young.oldest);
    }

    /**
     * Removes and returns the session that a full server evicts, or returns null if there is none. This is the oldest session younger than
     * {@link #MAX_AGE_MS} if it has reached {@link #ROUND_TRIP_MS}, otherwise the oldest session above that age if there is one.
     */
    public @Nullable S pollEvictable(long nowMs) {
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
