package io.kcp.netty.internal.admission;

import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open sessions of one server, in total and per IP address, and enforces {@link SessionLimits}. All sockets of the server share
 * one instance. This class is thread-safe, and is used only when a session opens or closes.
 */
public final class SessionCounts {

    /** The number of open sessions of one IPv4 address or IPv6 /64. */
    private static final class AddressCount {
        int sessions;
    }

    /** A limit that prevents new sessions once it is reached. */
    public enum Limit {
        /** The limit on the total number of open sessions. */
        TOTAL,
        /** The limit on the number of open sessions of one address. */
        ADDRESS
    }

    /** Records under which address one session is counted. */
    public static final class Place {
        /**
         * The key of the session's address, or null if the address is trusted. The key is stored so that {@link #release} needs no
         * allocation.
         */
        private @Nullable Long address;
        private boolean taken;

        private Place(@Nullable Long address) {
            this.address = address;
        }

        /** Returns {@code true} while the session is counted. */
        public boolean isTaken() {
            return taken;
        }

        /** Returns the key of the session's address, or null if the address is trusted. */
        @Nullable Long address() {
            return address;
        }
    }

    /**
     * Decrements the number of sessions of an address, and removes the address when the number reaches 0. The function captures no
     * variables, so that {@link #release} needs no allocation.
     */
    @SuppressWarnings("UnnecessaryLambda") // a method reference would be allocated with each release
    private static final BiFunction<Long, AddressCount, @Nullable AddressCount> DECREMENT =
        (address, count) -> --count.sessions == 0 ? null : count;

    private final SessionLimits limits;
    private final int maxSessions;
    private final int maxSessionsPerAddress;
    private final int maxUnvalidated;
    private final AtomicInteger sessions = new AtomicInteger();
    private final AtomicInteger unvalidated = new AtomicInteger();
    private final ConcurrentHashMap<Long, AddressCount> addresses = new ConcurrentHashMap<>();

    /** Creates empty counts with the given limits. */
    public SessionCounts(SessionLimits limits) {
        this.limits = limits;
        maxUnvalidated = limits.maxUnvalidated();
        maxSessions = limits.maxSessions();
        maxSessionsPerAddress = limits.maxSessionsPerAddress();
    }

    /** Returns the number of open sessions. */
    public int sessions() {
        return sessions.get();
    }

    /** Adds a positive or negative number to the count of unvalidated sessions of all sockets. */
    public void addUnvalidated(int change) {
        unvalidated.addAndGet(change);
    }

    /** Returns the number of unvalidated sessions of all sockets. */
    public int unvalidated() {
        return unvalidated.get();
    }

    /** Returns the limit on unvalidated sessions of all sockets. */
    public int maxUnvalidated() {
        return maxUnvalidated;
    }

    /** Returns {@code true} if another session would exceed the limit on unvalidated sessions. */
    public boolean isUnvalidatedFull() {
        return unvalidated.get() >= maxUnvalidated;
    }

    /**
     * Returns {@code true} if another session of an IP address would exceed the limit per address. The result is approximate while other
     * sockets open or close sessions of that address.
     */
    public boolean isFull(InetAddress address) {
        if (limits.isTrusted(address)) {
            return false;
        }
        AddressCount count = addresses.get(SourceKey.of(address));
        return count != null && count.sessions >= maxSessionsPerAddress;
    }

    /** Returns the number of IP addresses that have at least one counted session. */
    public int addresses() {
        return addresses.size();
    }

    /** Creates the record with which {@link #take} counts a new session of an IP address. */
    public Place place(InetAddress address) {
        return new Place(limits.isTrusted(address) ? null : SourceKey.of(address));
    }

    /**
     * Counts a session. The limit per address is checked first, so that {@link Limit#TOTAL} implies that the address has not reached its
     * limit.
     *
     * @return the limit that the session would exceed, null if it is counted
     */
    public @Nullable Limit take(Place place) {
        if (place.address != null && !count(place.address)) {
            return Limit.ADDRESS;
        }
        place.taken = true;
        if (sessions.incrementAndGet() > maxSessions) {
            release(place);
            return Limit.TOTAL;
        }
        return null;
    }

    private boolean count(Long address) {
        boolean[] counted = new boolean[1];
        addresses.compute(address, (key, present) -> {
            AddressCount count = present == null ? new AddressCount() : present;
            if (count.sessions < maxSessionsPerAddress) {
                count.sessions++;
                counted[0] = true;
            }
            return count;
        });
        return counted[0];
    }

    /**
     * Counts a session under another IP address.
     *
     * @return {@code false} if the address has too many sessions; the counts are then unchanged
     */
    public boolean move(Place place, InetAddress current) {
        Long previous = place.address;
        Long key = limits.isTrusted(current) ? null : Long.valueOf(SourceKey.of(current));
        if (Objects.equals(previous, key) || !place.taken) {
            return true;
        }
        if (key != null && !count(key)) {
            return false;
        }
        place.address = key;
        if (previous != null) {
            addresses.computeIfPresent(previous, DECREMENT);
        }
        return true;
    }

    /** Stops counting a session, if it is counted. */
    public void release(Place place) {
        if (place.taken) {
            place.taken = false;
            sessions.decrementAndGet();
            if (place.address != null) {
                addresses.computeIfPresent(place.address, DECREMENT);
            }
        }
    }
}
