package io.kcp.netty.internal.admission;

import io.kcp.netty.internal.base.Chain;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists the unvalidated sessions of one socket, in the order in which they were opened, in total and for each IP address. A session is
 * validated as soon as its peer acknowledges a segment or a probe, because only the owner of an address receives the datagrams that are
 * sent to it. Sessions from forged addresses therefore stay in this list, from which sessions are evicted when there are too many sessions
 * or too little memory.
 *
 * <p>Only sessions younger than {@value #MAX_AGE_MS} ms count as unvalidated. A peer that only sends has nothing to acknowledge, so an
 * older session may be legitimate. {@link #onDatagram} therefore requests a probe after every {@value #PROBE_DATAGRAMS} datagrams. Only a
 * full server, or a full address, evicts an older session.
 *
 * <p>A session whose peer has proved its address before the session was opened does not count as unvalidated either. A full server evicts
 * it only if there is no other session to evict, because {@link AddressProofs} sometimes mistakes a forged address for a proved one.
 *
 * @param <S> the type of a session
 */
public final class UnvalidatedSessions<S> {

    /** Age in milliseconds at which a session no longer counts as unvalidated. */
    public static final long MAX_AGE_MS = 10_000;
    /**
     * Age in milliseconds below which a full server evicts a session only as a last resort, and a full address never does, so that clients
     * that connect at the same time do not evict one another. A session whose peer has proved its address is never evicted below this age.
     */
    public static final long ROUND_TRIP_MS = 500;
    /** Number of datagrams after which an unvalidated session must probe its peer. */
    public static final int PROBE_DATAGRAMS = 16;

    /** The list entry of one session, which the session references until its peer is validated. */
    public static final class Entry<S> {
        private final S session;
        private final long openedAtMs;
        private final @Nullable Long address;
        private final Chain.Link<Entry<S>> byAge = new Chain.Link<>(this);
        private final Chain.Link<Entry<S>> byAddress = new Chain.Link<>(this);
        private int datagrams;

        private Entry(S session, @Nullable Long address, long openedAtMs) {
            this.session = session;
            this.address = address;
            this.openedAtMs = openedAtMs;
        }
    }

    private final IntConsumer size;
    private final Chain<Entry<S>> young = new Chain<>();
    private final Chain<Entry<S>> aged = new Chain<>();
    private final Chain<Entry<S>> proven = new Chain<>();
    private final Map<Long, Chain<Entry<S>>> addresses = new HashMap<>();

    /**
     * Creates an empty list.
     *
     * @param size receives each change of the number of sessions younger than {@link #MAX_AGE_MS}, 1 or -1
     */
    public UnvalidatedSessions(IntConsumer size) {
        this.size = size;
    }

    /** Returns {@code true} if there is no session. */
    boolean isEmpty() {
        return young.isEmpty() && aged.isEmpty() && proven.isEmpty();
    }

    /** Returns {@code true} if there is a session that a full server may evict. */
    public boolean hasEvictable(long nowMs) {
        return !young.isEmpty() || !aged.isEmpty() || evictableOf(proven, nowMs) != null;
    }

    /** Returns the number of IP addresses that have unvalidated sessions. */
    int addresses() {
        return addresses.size();
    }

    /** Stops counting sessions as unvalidated when they have reached {@link #MAX_AGE_MS}. */
    public void expire(long nowMs) {
        for (Entry<S> entry = young.first(); entry != null && nowMs - entry.openedAtMs >= MAX_AGE_MS; entry = young.first()) {
            young.remove(entry.byAge);
            size.accept(-1);
            aged.add(entry.byAge);
        }
    }

    /** Returns the time in milliseconds until the next session reaches {@link #MAX_AGE_MS}, or -1 if there is none. */
    public long msUntilExpiry(long nowMs) {
        Entry<S> entry = young.first();
        return entry == null ? -1 : Math.max(0, entry.openedAtMs + MAX_AGE_MS - nowMs);
    }

    /**
     * Adds a session that has just been opened.
     *
     * @param place the record under which the session is counted; sessions of trusted addresses are not listed by address
     */
    public Entry<S> add(S session, SessionCounts.Place place, long nowMs) {
        Entry<S> entry = newEntry(session, place, nowMs);
        young.add(entry.byAge);
        size.accept(1);
        return entry;
    }

    /** Adds a session that has just been opened, and whose peer has proved its address. */
    public Entry<S> addProven(S session, SessionCounts.Place place, long nowMs) {
        Entry<S> entry = newEntry(session, place, nowMs);
        proven.add(entry.byAge);
        return entry;
    }

    private Entry<S> newEntry(S session, SessionCounts.Place place, long nowMs) {
        Long address = place.address();
        Entry<S> entry = new Entry<>(session, address, nowMs);
        if (address != null) {
            addresses.computeIfAbsent(address, key -> new Chain<>()).add(entry.byAddress);
        }
        return entry;
    }

    /**
     * Counts a datagram that a session has accepted.
     *
     * @return {@code true} if the session must probe its peer, so that a peer that only sends is validated, too
     */
    public boolean onDatagram(Entry<S> entry) {
        return ++entry.datagrams % PROBE_DATAGRAMS == 0;
    }

    /** Removes a validated or closed session, if it is still in the list. */
    public void remove(Entry<S> entry) {
        if (entry.byAge.isIn(young)) {
            young.remove(entry.byAge);
            size.accept(-1);
        } else if (entry.byAge.isIn(aged)) {
            aged.remove(entry.byAge);
        } else if (entry.byAge.isIn(proven)) {
            proven.remove(entry.byAge);
        } else {
            return;
        }
        Long address = entry.address;
        Chain<Entry<S>> ofAddress = address == null ? null : addresses.get(address);
        if (ofAddress != null) {
            ofAddress.remove(entry.byAddress);
            if (ofAddress.isEmpty()) {
                addresses.remove(address);
            }
        }
    }

    /** Removes and returns the oldest session younger than {@link #MAX_AGE_MS}, or returns null if there is none. */
    public @Nullable S pollOldest() {
        return poll(young.first());
    }

    /**
     * Removes and returns the session that a full server evicts, or returns null if there is none. This is the oldest session younger than
     * {@link #MAX_AGE_MS} if it has reached {@link #ROUND_TRIP_MS}, otherwise the oldest session above that age if there is one. Sessions
     * whose peer has proved its address are evicted last.
     */
    public @Nullable S pollEvictable(long nowMs) {
        Entry<S> first = young.first();
        boolean youngFirst = first != null && (nowMs - first.openedAtMs >= ROUND_TRIP_MS || aged.isEmpty());
        Entry<S> unproven = youngFirst ? first : aged.first();
        return poll(unproven == null ? evictableOf(proven, nowMs) : unproven);
    }

    /**
     * Returns {@code true} if an address has a session that may be evicted for a new session of the same address. This is the oldest
     * session of the address if it has reached {@link #ROUND_TRIP_MS}.
     */
    public boolean hasEvictable(SessionCounts.Place place, long nowMs) {
        return evictableOf(place, nowMs) != null;
    }

    /** Removes and returns the session that is evicted for a new session of the same address, or returns null if there is none. */
    public @Nullable S pollEvictable(SessionCounts.Place place, long nowMs) {
        return poll(evictableOf(place, nowMs));
    }

    private @Nullable Entry<S> evictableOf(SessionCounts.Place place, long nowMs) {
        Long address = place.address();
        Chain<Entry<S>> ofAddress = address == null ? null : addresses.get(address);
        return ofAddress == null ? null : evictableOf(ofAddress, nowMs);
    }

    private static <S> @Nullable Entry<S> evictableOf(Chain<Entry<S>> list, long nowMs) {
        Entry<S> oldest = list.first();
        return oldest != null && nowMs - oldest.openedAtMs >= ROUND_TRIP_MS ? oldest : null;
    }

    private @Nullable S poll(@Nullable Entry<S> entry) {
        if (entry == null) {
            return null;
        }
        remove(entry);
        return entry.session;
    }
}
