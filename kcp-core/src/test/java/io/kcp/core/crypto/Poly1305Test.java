package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares tags with those computed with {@link BigInteger}. */
class Poly1305Test {

    private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(130).subtract(BigInteger.valueOf(5));
    private static final BigInteger CLAMP = new BigInteger("0ffffffc0ffffffc0ffffffc0fffffff", 16);

    @Test
    void tagsOfRandomMessagesMatchTheDefinition() {
        long seed = 7;
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] key = new byte[32];
            byte[] message = new byte[16 * (1 + random.nextInt(100))];
            random.nextBytes(key);
            random.nextBytes(message);
            check(key, message, "seed " + seed + ", message " + i);
        }
    }

    @Test
    void sumsNearTheModulusAreReduced() {
        Random random = new Random(8);
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xFF);
        for (int blocks = 1; blocks < 40; blocks++) {
            byte[] message = new byte[16 * blocks];
            Arrays.fill(message, (byte) 0xFF);
            check(ones, message, "all ones");
            check(new byte[32], message, "key of zeros");
            // With r = 1 the polynomial is the sum of the blocks, which the last blocks bring near the modulus.
            byte[] one = new byte[32];
            random.nextBytes(one);
            for (int i = 0; i < 16; i++) {
                one[i] = (byte) (i == 0 ? 1 : 0);
            }
            for (int difference = -6; difference <= 6; difference++) {
                check(one, blocksThatSumTo(MODULUS.add(BigInteger.valueOf(difference)), blocks), "modulus + " + difference);
            }
        }
    }

    /** Returns {@code count} blocks whose sum is as close to {@code sum} as possible. Each block adds 2^128 and its own 128 bits. */
    private static byte[] blocksThatSumTo(BigInteger sum, int count) {
        byte[] message = new byte[16 * count];
        BigInteger left = sum;
        for (int i = 0; i < count; i++) {
            left = left.subtract(BigInteger.ONE.shiftLeft(128));
            BigInteger block = left.max(BigInteger.ZERO).min(BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE));
            left = left.subtract(block);
            for (int j = 0; j < 16; j++) {
                message[i * 16 + j] = block.shiftRight(8 * j).byteValue();
            }
        }
        return message;
    }

    private static void check(byte[] key, byte[] message, String what) {
        BigInteger r = littleEndian(key, 0, 16).and(CLAMP);
        BigInteger sum = BigInteger.ZERO;
        for (int i = 0; i < message.length; i += 16) {
            sum = sum.add(littleEndian(message, i, 16)).add(BigInteger.ONE.shiftLeft(128)).multiply(r).mod(MODULUS);
        }
        BigInteger tag = sum.add(littleEndian(key, 16, 16));
        Poly1305 poly = new Poly1305();
        poly.start(key);
        poly.update(message, 0, message.length);
        poly.finish();
        assertThat(poly.tagLow()).as(what).isEqualTo(tag.longValue());
        assertThat(poly.tagHigh()).as(what).isEqualTo(tag.shiftRight(64).longValue());
    }

    private static BigInteger littleEndian(byte[] bytes, int offset, int length) {
        BigInteger value = BigInteger.ZERO;
        for (int i = length - 1; i >= 0; i--) {
            value = value.shiftLeft(8).or(BigInteger.valueOf(bytes[offset + i] & 0xFF));
        }
        return value;
    }
}
