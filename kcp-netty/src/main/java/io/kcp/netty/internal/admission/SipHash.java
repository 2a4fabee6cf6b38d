package io.kcp.netty.internal.admission;

import io.kcp.core.internal.hash.SipHashState;
import io.netty.buffer.ByteBuf;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/**
 * The hash function SipHash-1-3 with a secret key. Without the key an attacker cannot choose addresses that collide in a
 * {@link SeededTable} or {@link Tombstones}, or datagrams that collide in {@link ReplayFilter}.
 */
public final class SipHash {

    private static final int COMPRESSION_ROUNDS = 1;
    private static final int FINALIZATION_ROUNDS = 3;

    private final long k0;
    private final long k1;

    /** Creates a hash function with a random key. */
    public SipHash(SecureRandom random) {
        this(random.nextLong(), random.nextLong());
    }

    SipHash(long k0, long k1) {
        this.k0 = k0;
        this.k1 = k1;
    }

    /** Returns the 32-bit hash of the remote address and the conversation id of a session. */
    public int hash(InetSocketAddress address, int conv) {
        return fold(hash64(address, conv));
    }

    /** Returns the 64-bit hash of the remote address and the conversation id of a session. */
    long hash64(InetSocketAddress address, int conv) {
        long end = (long) address.getPort() << 32 | conv & 0xFFFFFFFFL;
        InetAddress ip = address.getAddress();
        if (ip instanceof Inet4Address) {
            return hash64(0, ip.hashCode(), end);
        }
        byte[] bytes = ip.getAddress();
        return hash64(word(bytes, 0), word(bytes, 8), end);
    }

    /** Returns the 32-bit hash of three 64-bit words. */
    int hash(long first, long second, long third) {
        return fold(hash64(first, second, third));
    }

    /** Returns a 32-bit hash that depends on all bits of a 64-bit hash. */
    static int fold(long hash) {
        return (int) (hash ^ hash >>> 32);
    }

    private long hash64(long first, long second, long third) {
        SipHashState state = new SipHashState(k0, k1);
        state.add(first, COMPRESSION_ROUNDS);
        state.add(second, COMPRESSION_ROUNDS);
        state.add(third, COMPRESSION_ROUNDS);
        return state.finish(0, 3 * Long.BYTES, COMPRESSION_ROUNDS, FINALIZATION_ROUNDS);
    }

    /** Returns the 64-bit hash of the readable bytes of a buffer, which is <b>borrowed</b>. */
    long hash(ByteBuf data) {
        SipHashState state = new SipHashState(k0, k1);
        int index = data.readerIndex();
        int length = data.readableBytes();
        int wordsEnd = index + (length & -Long.BYTES);
        for (; index < wordsEnd; index += Long.BYTES) {
            state.add(data.getLongLE(index), COMPRESSION_ROUNDS);
        }
        long rest = 0;
        for (int i = (length & Long.BYTES - 1) - 1; i >= 0; i--) {
            rest = rest << Byte.SIZE | data.getUnsignedByte(index + i);
        }
        return state.finish(rest, length, COMPRESSION_ROUNDS, FINALIZATION_ROUNDS);
    }

    private static long word(byte[] bytes, int offset) {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | bytes[offset + i] & 0xff;
        }
        return word;
    }
}
