package io.kcp.core.crypto;

/** Implements the block cipher XTEA with 32 cycles. */
final class Xtea extends TeaFamilyCipher {

    private static final int CYCLES = 32;

    /** Round keys, each of which is the sum of a key word and the round constant of a half cycle. */
    private final int[] schedule = new int[2 * CYCLES];

    Xtea(byte[] key) {
        int sum = 0;
        for (int i = 0; i < schedule.length; i += 2) {
            schedule[i] = sum + Words.intBE(key, (sum & 3) * Integer.BYTES);
            sum += DELTA;
            schedule[i + 1] = sum + Words.intBE(key, (sum >>> 11 & 3) * Integer.BYTES);
        }
    }

    @Override
    long encryptBlock(int first, int second) {
        int[] keys = schedule;
        int v0 = first;
        int v1 = second;
        for (int i = 0; i < keys.length; i += 2) {
            v0 += (v1 << 4 ^ v1 >>> 5) + v1 ^ keys[i];
            v1 += (v0 << 4 ^ v0 >>> 5) + v0 ^ keys[i + 1];
        }
        return (long) v0 << 32 | v1 & 0xFFFFFFFFL;
    }

    @Override
    void encryptLanes(int[] firsts, int[] seconds, int count) {
        for (int i = 0; i < schedule.length; i += 2) {
            cycle(firsts, seconds, count, schedule[i], schedule[i + 1]);
        }
    }

    private static void cycle(int[] firsts, int[] seconds, int count, int k0, int k1) {
        for (int i = 0; i < count; i++) {
            int v1 = seconds[i];
            int v0 = firsts[i] + ((v1 << 4 ^ v1 >>> 5) + v1 ^ k0);
            firsts[i] = v0;
            seconds[i] = v1 + ((v0 << 4 ^ v0 >>> 5) + v0 ^ k1);
        }
    }
}
