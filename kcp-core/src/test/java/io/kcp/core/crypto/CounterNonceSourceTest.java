package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CounterNonceSourceTest {

    private static final int NONCES = 1_000_000;

    private int draws;

    private Entropy seeded(long seed) {
        Random random = new Random(seed);
        return bytes -> {
            draws++;
            random.nextBytes(bytes);
        };
    }

    @Test
    void noShortNonceComesTwiceInAMillion() {
        CounterNonceSource source = new CounterNonceSource(seeded(1));
        byte[] nonce = new byte[12];
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < NONCES; i++) {
            source.next(nonce, nonce.length);
            // 64 of the 96 bits; with chance alone a million of them collide once in thirty million runs
            seen.add(Words.longLE(nonce, 4));
        }
        assertThat(seen).hasSize(NONCES);
    }

    @Test
    void everyBitIsSetHalfOfTheTime() {
        CounterNonceSource source = new CounterNonceSource(seeded(2));
        byte[] nonce = new byte[16];
        int[] set = new int[128];
        int nonces = 20_000;
        for (int i = 0; i < nonces; i++) {
            source.next(nonce, 16);
            for (int bit = 0; bit < set.length; bit++) {
                set[bit] += nonce[bit / 8] >>> bit % 8 & 1;
            }
        }
        // 6 standard deviations
        assertThat(Arrays.stream(set)).allMatch(count -> Math.abs(count - nonces / 2) < 6 * 71);
    }

    @Test
    void theKeyIsDrawnAnewAfterABoundedNumber() {
        CounterNonceSource source = new CounterNonceSource(seeded(3));
        byte[] nonce = new byte[16];
        assertThat(draws).isEqualTo(1);
        for (int i = 0; i < CounterNonceSource.NONCES_PER_KEY; i++) {
            source.next(nonce, 16);
        }
        assertThat(draws).isEqualTo(1);
        source.next(nonce, 16);
        assertThat(draws).isEqualTo(2);
    }

    @Test
    void whatWasDrawnDecidesAllThatFollows() {
        CounterNonceSource first = new CounterNonceSource(seeded(4));
        CounterNonceSource same = new CounterNonceSource(seeded(4));
        CounterNonceSource other = new CounterNonceSource(seeded(5));
        byte[] a = new byte[16];
        byte[] b = new byte[16];
        byte[] c = new byte[16];
        for (int i = 0; i < 1000; i++) {
            first.next(a, 16);
            same.next(b, 16);
            other.next(c, 16);
            assertThat(a).isEqualTo(b).isNotEqualTo(c);
        }
    }

    @Test
    void nothingIsWrittenBehindTheNonce() {
        byte[] target = new byte[20];
        new CounterNonceSource(seeded(6)).next(target, 12);
        assertThat(Arrays.copyOfRange(target, 12, 20)).containsOnly(0);
        assertThat(Arrays.copyOf(target, 12)).isNotEqualTo(new byte[12]);
    }
}
