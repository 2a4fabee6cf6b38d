package io.kcp.netty.internal.admission;

import java.net.Inet4Address;
import java.net.InetAddress;

/** Reduces an address to the part that identifies one source, which is an IPv4 address or the first 64 bits of an IPv6 address. */
public final class SourceKey {

    private static final long IPV4 = 0xffffL << Integer.SIZE;

    private SourceKey() {
    }

    /**
     * Returns the key of an address. An IPv4 address, including one behind NAT64 ({@code 64:ff9b::/96}), has the key of
     * {@code 0:ffff:a.b.c.d::/64}, which does not occur on a network.
     */
    public static long of(InetAddress address) {
        if (address instanceof Inet4Address) {
            // The hash code of an Inet4Address is the address itself. Unlike getAddress(), hashCode() allocates no array.
            return IPV4 | address.hashCode() & 0xffff_ffffL;
        }
        byte[] bytes = IpPrefix.clientBytesOf(address);
        long key = 0;
        for (int i = 0; i < Math.min(bytes.length, Long.BYTES); i++) {
            key = key << Byte.SIZE | bytes[i] & 0xff;
        }
        return bytes.length == Integer.BYTES ? IPV4 | key : key;
    }
}
