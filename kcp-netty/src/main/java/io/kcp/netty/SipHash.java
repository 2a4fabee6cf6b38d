package io.kcp.netty;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * SipHash-1-3 over three 64-bit words with a secret key, so that nobody can choose addresses that collide in
 * {@link PeerTable} and {@link Tombstones}. The paper's construction (Aumasson, Bernstein 2012) with one compression and three finalisation
 * rounds; whole words only, so the length byte is constant.
 */
final class SipHash {

    private final long k0;
    private final long k1;

    SipHash(SecureRandom random) {
        this(random.nextLong(), random.nextLong());
    }

    SipHash(long k0, long k1) {
        this.k0 = k0;
        this.k1 = k1;
    }

    /** Hashes what names a session. */
    int hash(InetSocketAddress address, int conv) {
        long end = (long) address.getPort() << 32 | conv & 0xFFFFFFFFL;
        InetAddress ip = address.getAddress();
        if (ip instanceof Inet4Address) {
            return hash(0, ip.hashCode(), end);
        }
        byte[] bytes = ip.getAddress();
        return hash(word(bytes, 0), word(bytes, 8), end);
    }

    /** Hashes three words to an int. */
    int hash(long first, long second, long third) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        long word = first;
        for (int i = 0; i < 4; i++) {
            v3 ^= word;
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= word;
            word = i == 0 ? second : i == 1 ? third : 24L << 56;
        }
        v2 ^= 0xff;
        for (int i = 0; i < 3; i++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        long hash = v0 ^ v1 ^ v2 ^ v3;
        return (int) (hash ^ hash >>> 32);
    }

    private static long word(byte[] bytes, int offset) {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | bytes[offset + i] & 0xff;
        }
        return word;
    }
}
