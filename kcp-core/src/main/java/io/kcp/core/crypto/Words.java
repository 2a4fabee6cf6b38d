package io.kcp.core.crypto;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and writes integers in byte arrays. */
final class Words {

    private static final VarHandle INT_BE = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT_LE = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG_BE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG_LE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Words() {
    }

    static int intBE(byte[] bytes, int offset) {
        return (int) INT_BE.get(bytes, offset);
    }

    static void putIntBE(byte[] bytes, int offset, int value) {
        INT_BE.set(bytes, offset, value);
    }

    static int intLE(byte[] bytes, int offset) {
        return (int) INT_LE.get(bytes, offset);
    }

    static void putIntLE(byte[] bytes, int offset, int value) {
        INT_LE.set(bytes, offset, value);
    }

    static long longBE(byte[] bytes, int offset) {
        return (long) LONG_BE.get(bytes, offset);
    }

    static void putLongBE(byte[] bytes, int offset, long value) {
        LONG_BE.set(bytes, offset, value);
    }

    static long longLE(byte[] bytes, int offset) {
        return (long) LONG_LE.get(bytes, offset);
    }

    static void putLongLE(byte[] bytes, int offset, long value) {
        LONG_LE.set(bytes, offset, value);
    }

    static void xorTwoIntsLE(byte[] bytes, int offset, int first, int second) {
        putLongLE(bytes, offset, longLE(bytes, offset) ^ (first & 0xFFFFFFFFL | (long) second << 32));
    }

    /** XORs the first {@code length} bytes of the target with the bytes of the mask. */
    static void xor(byte[] target, byte[] mask, int length) {
        xor(target, 0, mask, 0, length);
    }

    /** XORs {@code length} bytes of the target with bytes of the mask. */
    static void xor(byte[] target, int targetOffset, byte[] mask, int maskOffset, int length) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            putLongLE(target, targetOffset + i, longLE(target, targetOffset + i) ^ longLE(mask, maskOffset + i));
        }
        for (; i < length; i++) {
            target[targetOffset + i] ^= mask[maskOffset + i];
        }
    }
}
