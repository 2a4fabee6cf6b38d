package io.kcp.netty.admission;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one socket whose peer is not validated, in the order in which they were opened. A peer is validated as soon as it
 * acknowledges a segment, because only the owner of an address receives what is sent to it. Sessions of forged addresses are therefore in
 * this list, which is evicted first when there are too many sessions or too little memory.
 *
 * <p>Only sessions younger than {@value #MAX_AGE_MS} ms count as unvalidated. A peer that only sends has nothing to acknowledge, so an
 * older session may be legitimate: only a full server evicts it, and only until it has received {@value #ESTABLISHED_DATAGRAMS}
 * datagrams.
 *
 * @param <S> the type of a session
 */
public final class UnvalidatedSessions<S> {

    /** The age from which a session no longer counts as unvalidated. */
    public static final long MAX_AGE_MS = 10_000;
    /** A full server evicts older sessions first, so that clients which connect at the same time do not evict one another. */
    public static final long ROUND_TRIP_MS = 500;
    /** The number of received datagrams from which an old session is no longer evicted. */
    public static final int ESTABLISHED_DATAGRAMS = 16;

    /** The entry of one session, which the session keeps until its peer is validated. */
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
     * @param size receives each change of the number of young sessions, 1 or -1
     */
    public UnvalidatedSessions(IntConsumer size) {
        this.size = size;
    }

    /** Returns {@code true} if there is no session to evict. */
    public boolean isEmpty() {
        return young.oldest == null && aged.oldest == null;
    }

    /** Stops counting the sessions that have reached {@link #MAX_AGE_MS}. */
    public void expire(long nowMs) {
        for (Entry<S> entry = young.oldest; entry != null && nowMs - entry.openedAtMs >= MAX_AGE_MS; entry = young.oldest) {
            remove(entry);
            if (entry.datagrams < ESTABLISHED_DATAGRAMS) {
                aged.add(entry);
            }
        }
    }

    /** Returns the milliseconds until the next session expires, -1 if no session is young. */
    public long msUntilExpiry(long nowMs) {
        Entry<S> entry = young.oldest;
        return entry == null ? -1 : Math.max(0, entry.openedAtMs + MAX_AGE_MS - nowMs);
    }

    /** Adds a session that is opened now. */
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

    /** Removes a session that is validated or closed; does nothing if it is no longer listed. */
    public void remove(Entry<S> entry) {
        Chain<S> chain = entry.chain;
        if (chain != null) {
            chain.remove(entry);
            if (chain == young) {
                size.accept(-1);
            }
        }
    }

    /** Removes the oldest young session and returns it, null if there is none. */
    public @Nullable S pollOldest() {
        return poll(young.oldest);
    }

    /**
     * Removes the session that a full server evicts, and returns it, null if none is listed. That is the oldest young session if its
     * first round trip is over, otherwise the oldest aged session, otherwise the oldest young one.
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
