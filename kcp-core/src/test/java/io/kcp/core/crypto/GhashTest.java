package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares hashes with a multiplication of single bits, as NIST SP 800-38D defines it. */
class GhashTest {

    private static final long REDUCTION = 0xE100_0000_0000_0000L;

    @Test
    void hashesOfRandomMessagesMatchTheDefinition() {
        long seed = 11;
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            byte[] key = new byte[16];
            byte[] message = new byte[16 * (1 + random.nextInt(12))];
            random.nextBytes(key);
            random.nextBytes(message);
            check(key, message, "seed " + seed + ", message " + i);
        }
    }

    @Test
    void everyPairOfSingleBitsMatchesTheDefinition() {
        for (int keyBit = 0; keyBit < 128; keyBit++) {
            for (int bit = 0; bit < 128; bit++) {
                byte[] key = new byte[16];
                byte[] message = new byte[16];
                key[keyBit / 8] = (byte) (0x80 >>> keyBit % 8);
                message[bit / 8] = (byte) (0x80 >>> bit % 8);
                check(key, message, "bits " + keyBit + " and " + bit);
            }
        }
    }

    @Test
    void operandsWithAllBitsSetMatchTheDefinition() {
        byte[] ones = new byte[16];
        Arrays.fill(ones, (byte) 0xFF);
        check(ones, ones, "all ones");
    }

    private static void check(byte[] key, byte[] message, String what) {
        long[] expected = new long[2];
        for (int i = 0; i < message.length; i += 16) {
            expected[0] ^= Words.longBE(message, i);
            expected[1] ^= Words.longBE(message, i + 8);
            expected = product(expected, new long[] {Words.longBE(key, 0), Words.longBE(key, 8)});
        }
        Ghash ghash = new Ghash(key);
        ghash.start();
        ghash.update(message, 0, message.length);
        assertThat(ghash.first()).as(what).isEqualTo(expected[0]);
        assertThat(ghash.last()).as(what).isEqualTo(expected[1]);
    }

    /** Algorithm 1 of the standard. The leftmost bit is the coefficient of x<sup>0</sup>. */
    private static long[] product(long[] x, long[] y) {
        long[] z = new long[2];
        long high = y[0];
        long low = y[1];
        for (int i = 0; i < 128; i++) {
            if ((x[i / 64] << i % 64) < 0) {
                z[0] ^= high;
                z[1] ^= low;
            }
            boolean odd = (low & 1) != 0;
            low = low >>> 1 | high << 63;
            high >>>= 1;
            if (odd) {
                high ^= REDUCTION;
            }
        }
        return z;
    }
}
