package io.kcp.netty.admission;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/** An IP prefix such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}. */
public final class IpPrefix {

    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    /** Length of the prefixes {@code ::ffff:0:0/96} and {@code 64:ff9b::/96}, behind which an IPv4 address follows. */
    private static final int EMBEDDING_BITS = (IPV6_BYTES - IPV4_BYTES) * Byte.SIZE;
    /** The well-known prefix of RFC 6052. */
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
     * Parses a prefix; an address without a length is a prefix of one address. {@code ::ffff:10.0.0.0/104} is {@code 10.0.0.0/8}.
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
        // Addresses are compared in their IPv4 form, which a shorter prefix would never match.
        if (bits < (mapped ? EMBEDDING_BITS : 0) || bits > maxBits) {
            throw notAPrefix(text);
        }
        return mapped ? new IpPrefix(text, ipv4Of(address), bits - EMBEDDING_BITS) : new IpPrefix(text, address, bits);
    }

    private static IllegalArgumentException notAPrefix(String text) {
        return new IllegalArgumentException(
            "trustedPrefixes: \"" + text + "\" (expected: an IP prefix such as 10.0.0.0/8 or 2001:db8::/32)");
    }

    /** Returns the bytes of an address: 4 of an IPv4 address, which an IPv6 socket reports as {@code ::ffff:a.b.c.d}, otherwise 16. */
    static byte[] bytesOf(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean mapped = address instanceof Inet6Address && isMappedIpv4(bytes);
        return mapped ? ipv4Of(bytes) : bytes;
    }

    /**
     * Returns the bytes of an address like {@link #bytesOf}, but the 4 of the IPv4 address that a NAT64 gateway has put behind
     * {@code 64:ff9b::/96}. Not for {@link #contains}: anyone may send from {@code 64:ff9b::10.0.0.1}, which is not {@code 10.0.0.1}.
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

    /** Returns {@code true} if the address, as {@link #bytesOf} returns it, begins with this prefix. */
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

    @Override
    public String toString() {
        return text;
    }
}
