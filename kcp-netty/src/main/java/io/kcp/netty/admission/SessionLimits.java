package io.kcp.netty.admission;

import io.netty.util.internal.PlatformDependent;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/**
 * The limits on the sessions that peers open: in total, per IP address, and those whose peer is not validated. A limit that is not set
 * is derived from the memory of the JVM. Immutable.
 *
 * @param total           the limit on open sessions, 0 to derive it from the memory
 * @param perAddress      the limit on open sessions of one IPv4 address or IPv6 /64, 0 for an eighth of the total, at least 64
 * @param unvalidated     the limit on unvalidated sessions, 0 for a quarter of the total or 256, whichever is more, at most the total
 * @param trustedPrefixes addresses whose sessions are not counted per address
 */
public record SessionLimits(int total, int perAddress, int unvalidated, List<IpPrefix> trustedPrefixes) {

    /** Derives all limits from the memory, and trusts the loopback addresses. */
    public static final SessionLimits DEFAULT =
        new SessionLimits(0, 0, 0, List.of(IpPrefix.parse("127.0.0.0/8"), IpPrefix.parse("::1/128")));

    /** An idle session uses up to 4 KiB of heap. The rest is for queues and the objects of the application. */
    private static final int HEAP_BYTES_PER_SESSION = 16 << 10;
    /** About six datagrams, queued or in flight. */
    private static final int DIRECT_BYTES_PER_SESSION = 8 << 10;
    private static final int MIN_TOTAL = 256;
    private static final int MAX_TOTAL = 1 << 20;
    /** Enough for a household or a small network behind one address. */
    private static final int MIN_PER_ADDRESS = 64;
    /** A lower limit would evict the peers of a small server within their first round trip. */
    private static final int MIN_UNVALIDATED = 256;

    /** Returns how many sessions that much memory holds. */
    static int totalOf(long heapBytes, long directBytes) {
        long sessions = Math.min(heapBytes / HEAP_BYTES_PER_SESSION, directBytes / DIRECT_BYTES_PER_SESSION);
        return (int) Math.min(Math.max(sessions, MIN_TOTAL), MAX_TOTAL);
    }

    /** Returns a copy with another limit on open sessions. */
    public SessionLimits withTotal(int sessions) {
        return new SessionLimits(atLeastOne("maxSessions", sessions), perAddress, unvalidated, trustedPrefixes);
    }

    /** Returns a copy with another limit per address. */
    public SessionLimits withPerAddress(int sessions) {
        return new SessionLimits(total, atLeastOne("maxSessionsPerAddress", sessions), unvalidated, trustedPrefixes);
    }

    /** Returns a copy with another limit on unvalidated sessions. */
    public SessionLimits withUnvalidated(int sessions) {
        return new SessionLimits(total, perAddress, atLeastOne("maxUnvalidatedSessions", sessions), trustedPrefixes);
    }

    /** Returns a copy that trusts these prefixes only. */
    public SessionLimits withTrustedPrefixes(String... prefixes) {
        return new SessionLimits(total, perAddress, unvalidated, Arrays.stream(prefixes).map(IpPrefix::parse).toList());
    }

    /** Returns the limit on open sessions of all sockets. */
    public int maxSessions() {
        return total > 0 ? total : totalOf(Runtime.getRuntime().maxMemory(), PlatformDependent.maxDirectMemory());
    }

    /** Returns the limit on open sessions of one address. */
    public int maxSessionsPerAddress() {
        return perAddress > 0 ? perAddress : Math.max(MIN_PER_ADDRESS, maxSessions() / 8);
    }

    /** Returns the limit on unvalidated sessions of all sockets. */
    public int maxUnvalidated() {
        return unvalidated > 0 ? unvalidated : Math.min(maxSessions(), Math.max(MIN_UNVALIDATED, maxSessions() / 4));
    }

    /** Returns {@code true} if sessions of the address are not counted per address. */
    public boolean isTrusted(InetAddress address) {
        byte[] bytes = IpPrefix.bytesOf(address);
        for (IpPrefix prefix : trustedPrefixes) {
            if (prefix.contains(bytes)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks a limit.
     *
     * @param name  the name of the limit, for the message
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
