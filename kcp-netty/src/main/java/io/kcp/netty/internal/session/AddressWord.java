package io.kcp.netty.internal.session;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The IPv4 address and the port of a peer in one number. A session stores this number, because comparing two {@link InetSocketAddress}es
 * reads four objects of each of them, which are usually in none of the small caches of the processor.
 */
final class AddressWord {

    /** The number of all addresses that do not fit into one, such as IPv6 addresses. */
    static final long NONE = 0;

    private static final int PORT_BITS = 16;
    /** Distinguishes 0.0.0.0:0 from {@link #NONE}. */
    private static final long IPV4 = 1L << 48;

    private AddressWord() {
    }

    /** Returns the number of an address. Two addresses with the same number are equal, unless the number is {@link #NONE}. */
    static long of(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        // The hash code of an IPv4 address is the address itself.
        return ip instanceof Inet4Address ? IPV4 | (ip.hashCode() & 0xFFFFFFFFL) << PORT_BITS | address.getPort() : NONE;
    }
}
