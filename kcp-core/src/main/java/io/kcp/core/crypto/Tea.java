package io.kcp.core.crypto;

/** Implements the block cipher TEA with 8 cycles, as in kcp-go. The original cipher has 32 cycles. */
final class Tea extends TeaFamilyCipher {

    private static final int CYCLES = 8;

    private final int k0;
    private final int k1;
    private final int k2;
    private final int k3;

    Tea(byte[] key) {
        k0 = Words.intBE(key, 0);
        k1 = Words.intBE(key, 4);
        k2 = Words.intBE(key, 8);
        k3 = Words.intBE(key, 12);
    }

    @Override
    long encryptBlock(int first, int second) {
        int v0 = first;
        int v1 = second;
        int sum = 0;
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            sum += DELTA;
            v0 += (v1 << 4) + k0 ^ v1 + sum ^ (v1 >>> 5) + k1;
            v1 += (v0 << 4) + k2 ^ v0 + sum ^ (v0 >>> 5) + k3;
        }
        return (long) v0 << 32 | v1 & 0xFFFFFFFFL;
    }

    @Override
    void encryptLanes(int[] firsts, int[] seconds, int count) {
        int sum = 0;
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            sum += DELTA;
            cycle(firsts, seconds, count, sum);
        }
    }

    private void cycle(int[] firsts, int[] seconds, int count, int sum) {
        int a = k0;
        int b = k1;
        int c = k2;
        int d = k3;
        for (int i = 0; i < count; i++) {
            int v1 = seconds[i];
            int v0 = firsts[i] + ((v1 << 4) + a ^ v1 + sum ^ (v1 >>> 5) + b);
            firsts[i] = v0;
            seconds[i] = v1 + ((v0 << 4) + c ^ v0 + sum ^ (v0 >>> 5) + d);
        }
    }
}
