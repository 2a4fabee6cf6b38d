package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * SipHash-1-3 with a secret key: nobody can choose addresses that collide in {@link PeerTable} and {@link Tombstones}, or
 * datagrams that do in {@link ReplayFilter}. The paper's construction (Aumasson, Bernstein 2012) with one compression and
 * three finalisation rounds.
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
        State state = new State(k0, k1);
        state.add(first);
        state.add(second);
        state.add(third);
        long hash = state.finish(0, 3 * Long.BYTES);
        return (int) (hash ^ hash >>> 32);
    }

    /** Hashes the readable bytes of a buffer, <b>borrowed</b>. */
    long hash(ByteBuf data) {
        State state = new State(k0, k1);
        int index = data.readerIndex();
        int length = data.readableBytes();
        int wordsEnd = index + (length & -Long.BYTES);
        for (; index < wordsEnd; index += Long.BYTES) {
            state.add(data.getLongLE(index));
        }
        long rest = 0;
        for (int i = (length & Long.BYTES - 1) - 1; i >= 0; i--) {
            rest = rest << Byte.SIZE | data.getUnsignedByte(index + i);
        }
        return state.finish(rest, length);
    }

    private static long word(byte[] bytes, int offset) {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | bytes[offset + i] & 0xff;
        }
        return word;
    }

    /** The four words of one computation; never leaves the method that makes it, so it costs no object. */
    private static final class State {

        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(long k0, long k1) {
            v0 = k0 ^ 0x736f6d6570736575L;
            v1 = k1 ^ 0x646f72616e646f6dL;
            v2 = k0 ^ 0x6c7967656e657261L;
            v3 = k1 ^ 0x7465646279746573L;
        }

        void add(long word) {
            v3 ^= word;
            round();
            v0 ^= word;
        }

        /** Takes the bytes beyond the last whole word and the length in bytes. */
        long finish(long rest, int length) {
            add(rest | (long) length << 56);
            v2 ^= 0xff;
            round();
            round();
            round();
            return v0 ^ v1 ^ v2 ^ v3;
        }

        private void round() {
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
    }
}
