package io.kcp.netty.internal.admission;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/** An IP prefix such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}. */
public final class IpPrefix {

    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    /** Length in bits of the prefixes {@code ::ffff:0:0/96} and {@code 64:ff9b::/96}, which precede an embedded IPv4 address. */
    private static final int EMBEDDING_BITS = (IPV6_BYTES - IPV4_BYTES) * Byte.SIZE;
    /** The well-known NAT64 prefix {@code 64:ff9b::/96} of RFC 6052. */
    private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

    private final String text;
    private final byte[] address;
    private final int bits;

    private IpPrefix(String text, byte[] address, int bits) {
        this.text = text;
        this.address = address;
        this.bits = bits;
    }

    /**
     * Parses an IP prefix. A single address is a prefix that matches only that address. The IPv4-mapped prefix {@code ::ffff:10.0.0.0/104}
     * is equivalent to {@code 10.0.0.0/8}.
     *
     * @throws IllegalArgumentException if the text is not a prefix; names are not resolved
     */
    public static IpPrefix parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = NetUtil.createByteArrayFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw notAPrefix(text);
        }
        int maxBits = address.length * Byte.SIZE;
        int bits = maxBits;
        if (slash >= 0) {
            try {
                bits = Integer.parseInt(text.substring(slash + 1));
            } catch (NumberFormatException notANumber) {
                throw notAPrefix(text);
            }
        }
        boolean mapped = address.length == IPV6_BYTES && isMappedIpv4(address);
        // Refuses an IPv4-mapped prefix shorter than 96 bits, because IPv4-mapped addresses are compared in their IPv4 form and would never
        // match such a prefix.
        if (bits < (mapped ? EMBEDDING_BITS : 0) || bits > maxBits) {
            throw notAPrefix(text);
        }
        return mapped ? new IpPrefix(text, ipv4Of(address), bits - EMBEDDING_BITS) : new IpPrefix(text, address, bits);
    }

    private static IllegalArgumentException notAPrefix(String text) {
        return new IllegalArgumentException(
            "trustedPrefixes: \"" + text + "\" (expected: an IP prefix such as 10.0.0.0/8 or 2001:db8::/32)");
    }

    /** Returns the 4 or 16 bytes of an address, converting an IPv4-mapped IPv6 address ({@code ::ffff:a.b.c.d}) to IPv4. */
    static byte[] bytesOf(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean mapped = address instanceof Inet6Address && isMappedIpv4(bytes);
        return mapped ? ipv4Of(bytes) : bytes;
    }

    /**
     * Returns the bytes of an address like {@link #bytesOf}, but also converts a NAT64 address ({@code 64:ff9b::/96}) to IPv4. The result
     * must not be passed to {@link #contains}, because any host may send from {@code 64:ff9b::10.0.0.1}, which is not {@code 10.0.0.1}.
     */
    static byte[] clientBytesOf(InetAddress address) {
        byte[] bytes = bytesOf(address);
        boolean translated = bytes.length == IPV6_BYTES && Arrays.equals(bytes, 0, NAT64.length, NAT64, 0, NAT64.length);
        return translated ? ipv4Of(bytes) : bytes;
    }

    private static byte[] ipv4Of(byte[] ipv6) {
        return Arrays.copyOfRange(ipv6, IPV6_BYTES - IPV4_BYTES, IPV6_BYTES);
    }

    private static boolean isMappedIpv4(byte[] bytes) {
        for (int i = 0; i < IPV6_BYTES - IPV4_BYTES - 2; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
    }

    /** Returns {@code true} if an address begins with this prefix. The address must be in the form that {@link #bytesOf} returns. */
    public boolean contains(byte[] other) {
        if (other.length != address.length) {
            return false;
        }
        int whole = bits / Byte.SIZE;
        if (!Arrays.equals(address, 0, whole, other, 0, whole)) {
            return false;
        }
        int rest = bits % Byte.SIZE;
        return rest == 0 || (address[whole] ^ other[whole]) >> Byte.SIZE - rest == 0;
    }

    /** Returns {@code true} if an IPv4 address, given as an integer, begins with this prefix. Allocates no memory. */
    boolean containsIpv4(int other) {
        if (address.length != IPV4_BYTES) {
            return false;
        }
        int mine = (address[0] & 0xff) << 24 | (address[1] & 0xff) << 16 | (address[2] & 0xff) << 8 | address[3] & 0xff;
        return bits == 0 || (mine ^ other) >>> Integer.SIZE - bits == 0;
    }

    @Override
    public String toString() {
        return text;
    }
}
