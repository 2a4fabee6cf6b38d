package io.kcp.netty.internal.admission;

import io.netty.util.internal.PlatformDependent;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/**
 * Limits on the sessions that peers open: on all sessions, on the sessions of one IP address, and on unvalidated sessions. A limit that is
 * not set is derived from the memory of the JVM. Instances are immutable.
 *
 * @param total           the limit on open sessions, 0 to derive it from the memory
 * @param perAddress      the limit on open sessions of one IPv4 address or IPv6 /64, 0 for an eighth of the total, at least 64
 * @param unvalidated     the limit on unvalidated sessions, 0 for a quarter of the total or 256, whichever is more, at most the total
 * @param trustedPrefixes addresses whose sessions are not counted per address
 */
public record SessionLimits(int total, int perAddress, int unvalidated, List<IpPrefix> trustedPrefixes) {

    /** The default limits, which are derived from the memory of the JVM and exempt loopback addresses. */
    public static final SessionLimits DEFAULT =
        new SessionLimits(0, 0, 0, List.of(IpPrefix.parse("127.0.0.0/8"), IpPrefix.parse("::1/128")));

    /**
     * Heap memory that the default limit assumes for each session. An idle session uses up to 4 KiB, and the rest is for queues and objects
     * of the application.
     */
    private static final int HEAP_BYTES_PER_SESSION = 16 << 10;
    /** Direct memory that the default limit assumes for each session, enough for about six datagrams that are queued or in flight. */
    private static final int DIRECT_BYTES_PER_SESSION = 8 << 10;
    private static final int MIN_TOTAL = 256;
    private static final int MAX_TOTAL = 1 << 20;
    /** Minimum of the default limit per address, which is enough for a household or a small network behind one address. */
    private static final int MIN_PER_ADDRESS = 64;
    /**
     * Minimum of the default limit on unvalidated sessions. A lower limit would evict the peers of a small server within their first round
     * trip.
     */
    private static final int MIN_UNVALIDATED = 256;

    /** Returns the default limit on open sessions for the given amounts of memory. */
    static int totalOf(long heapBytes, long directBytes) {
        long sessions = Math.min(heapBytes / HEAP_BYTES_PER_SESSION, directBytes / DIRECT_BYTES_PER_SESSION);
        return (int) Math.min(Math.max(sessions, MIN_TOTAL), MAX_TOTAL);
    }

    /** Returns a copy with another limit on open sessions. */
    public SessionLimits withTotal(int sessions) {
        return new SessionLimits(atLeastOne("maxSessions", sessions), perAddress, unvalidated, trustedPrefixes);
    }

    /** Returns a copy with another limit on open sessions per address. */
    public SessionLimits withPerAddress(int sessions) {
        return new SessionLimits(total, atLeastOne("maxSessionsPerAddress", sessions), unvalidated, trustedPrefixes);
    }

    /** Returns a copy with another limit on unvalidated sessions. */
    public SessionLimits withUnvalidated(int sessions) {
        return new SessionLimits(total, perAddress, atLeastOne("maxUnvalidatedSessions", sessions), trustedPrefixes);
    }

    /** Returns a copy that exempts only the given IP prefixes from the limit per address. */
    public SessionLimits withTrustedPrefixes(String... prefixes) {
        return new SessionLimits(total, perAddress, unvalidated, Arrays.stream(prefixes).map(IpPrefix::parse).toList());
    }

    /** Returns the limit on open sessions of all sockets. */
    public int maxSessions() {
        return total > 0 ? total : totalOf(Runtime.getRuntime().maxMemory(), PlatformDependent.maxDirectMemory());
    }

    /** Returns the limit on open sessions per address. */
    public int maxSessionsPerAddress() {
        return perAddress > 0 ? perAddress : Math.max(MIN_PER_ADDRESS, maxSessions() / 8);
    }

    /** Returns the limit on unvalidated sessions of all sockets. */
    public int maxUnvalidated() {
        return unvalidated > 0 ? unvalidated : Math.min(maxSessions(), Math.max(MIN_UNVALIDATED, maxSessions() / 4));
    }

    /** Returns {@code true} if an address is exempt from the limit per address. */
    public boolean isTrusted(InetAddress address) {
        if (address instanceof Inet4Address) {
            return isTrustedIpv4(address.hashCode());
        }
        byte[] bytes = IpPrefix.bytesOf(address);
        for (IpPrefix prefix : trustedPrefixes) {
            if (prefix.contains(bytes)) {
                return true;
            }
        }
        return false;
    }

    /** Checks whether an IPv4 address is trusted. {@link Inet4Address#hashCode} returns the address without allocating an array. */
    private boolean isTrustedIpv4(int address) {
        for (int i = 0; i < trustedPrefixes.size(); i++) {
            if (trustedPrefixes.get(i).containsIpv4(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks a limit.
     *
     * @param name the name of the limit, for the message of the exception
     * @param value the limit
     * @return the limit
     * @throws IllegalArgumentException if the limit is below 1
     */
    public static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 1)");
        }
        return value;
    }
}
