package io.kcp.netty.admission;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts the sessions that the peers of one server have open, in total and per IP address, against {@link SessionLimits}. All sockets
 * of the server share one instance; it may be used by any thread, and only when a session opens or closes.
 */
public final class SessionCounts {

    /** The open sessions of one IPv4 address or IPv6 /64. */
    private static final class AddressCount {
        int sessions;
    }

    /** The limit that a further session would exceed. */
    public enum Limit {
        /** The limit on all open sessions. */
        TOTAL,
        /** The limit on the open sessions of one address. */
        ADDRESS
    }

    /** The place of one session in the counts. */
    public static final class Place {
        /** The key of the counted address, null if the address is trusted; kept so that {@link #release} allocates nothing. */
        private final @Nullable Long address;
        private boolean taken;

        private Place(@Nullable Long address) {
            this.address = address;
        }
    }

    /** Without captured variables, so that a release needs no memory. */
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

    /** Creates counts without sessions. */
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

    /** Adds to the number of young sessions in the {@link UnvalidatedSessions} of all sockets; a negative number subtracts. */
    public void addUnvalidated(int change) {
        unvalidated.addAndGet(change);
    }

    /** Returns the number of young sessions whose peer is not validated. */
    public int unvalidated() {
        return unvalidated.get();
    }

    /** Returns {@code true} if a newcomer exceeds the limit on unvalidated sessions. */
    public boolean isUnvalidatedFull() {
        return unvalidated.get() >= maxUnvalidated;
    }

    /** Returns the number of addresses that have counted sessions. */
    public int addresses() {
        return addresses.size();
    }

    /** Returns a place for a session of that address; {@link #take} counts it. */
    public Place place(InetAddress address) {
        return new Place(limits.isTrusted(address) ? null : key(address));
    }

    /**
     * Counts a session. The limit per address comes first: a refusal by the total means that the address has room.
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

    /** Stops counting a session; does nothing if it is not counted. */
    public void release(Place place) {
        if (place.taken) {
            place.taken = false;
            sessions.decrementAndGet();
            if (place.address != null) {
                addresses.computeIfPresent(place.address, DECREMENT);
            }
        }
    }

    /**
     * Returns the first 64 bits of an IPv6 address. Returns an IPv4 address, also one behind NAT64, as {@code 0:ffff:a.b.c.d::/64}, which
     * does not occur on a network.
     */
    private static long key(InetAddress address) {
        byte[] bytes = IpPrefix.clientBytesOf(address);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return bytes.length == Integer.BYTES ? 0xffffL << Integer.SIZE | buffer.getInt() & 0xffff_ffffL : buffer.getLong();
    }
}
