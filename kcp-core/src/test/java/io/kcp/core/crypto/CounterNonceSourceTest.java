package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    private CounterNonceSource source(long seed) {
        Entropy entropy = seeded(seed);
        return new CounterNonceSource(new NonceKey(entropy, new AtomicLong()::getAndIncrement), true, entropy);
    }

    @Test
    @Tag("slow")
    void firstEightBytesNeverRepeat() {
        CounterNonceSource source = source(1);
        byte[] nonce = new byte[12];
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < NONCES; i++) {
            source.next(nonce, nonce.length);
            seen.add(Words.longLE(nonce, 0));
        }
        assertThat(seen).hasSize(NONCES);
    }

    @Test
    void sourcesOfOneKeyShareNoNonces() {
        Entropy constant = bytes -> Arrays.fill(bytes, (byte) 7);
        NonceKey key = new NonceKey(constant, new AtomicLong()::getAndIncrement);
        byte[] nonce = new byte[12];
        Set<Long> seen = new HashSet<>();
        CounterNonceSource[] sources = new CounterNonceSource[4];
        Arrays.setAll(sources, i -> new CounterNonceSource(key, false, constant));
        for (int i = 0; i < NonceKey.NONCES_PER_RANGE + 100; i++) {
            for (CounterNonceSource source : sources) {
                source.next(nonce, 12);
                seen.add(Words.longLE(nonce, 0));
            }
        }
        assertThat(seen).hasSize(sources.length * (NonceKey.NONCES_PER_RANGE + 100));
    }

    @Test
    void clonesDivergeAfterOneRange() {
        CounterNonceSource first = cloned(8);
        CounterNonceSource second = cloned(9);
        byte[] a = new byte[12];
        byte[] b = new byte[12];
        for (int i = 0; i < NonceKey.NONCES_PER_RANGE; i++) {
            first.next(a, 12);
            second.next(b, 12);
            assertThat(a).isEqualTo(b);
        }
        for (int i = 0; i < NonceKey.NONCES_PER_RANGE; i++) {
            first.next(a, 12);
            second.next(b, 12);
            assertThat(a).isNotEqualTo(b);
        }
    }

    /** Returns a source whose key and first range depend on the same random bytes for every seed. Later ranges differ. */
    private static CounterNonceSource cloned(long seed) {
        Random common = new Random(7);
        Random own = new Random(seed);
        int[] drawn = new int[1];
        Entropy entropy = bytes -> (drawn[0]++ < 2 ? common : own).nextBytes(bytes);
        return new CounterNonceSource(new NonceKey(entropy, new AtomicLong()::getAndIncrement), true, entropy);
    }

    @Test
    void everyBitIsSetHalfOfTheTime() {
        CounterNonceSource source = source(2);
        byte[] nonce = new byte[16];
        int[] set = new int[128];
        int nonces = 20_000;
        for (int i = 0; i < nonces; i++) {
            source.next(nonce, 16);
            for (int bit = 0; bit < set.length; bit++) {
                set[bit] += nonce[bit / 8] >>> bit % 8 & 1;
            }
        }
        // The tolerance is 6 standard deviations.
        assertThat(Arrays.stream(set)).allMatch(count -> Math.abs(count - nonces / 2) < 6 * 71);
    }

    @Test
    void entropyIsDrawnOncePerRange() {
        CounterNonceSource source = source(3);
        byte[] nonce = new byte[16];
        assertThat(draws).as("random bytes for the key").isEqualTo(1);
        for (int i = 0; i < NonceKey.NONCES_PER_RANGE; i++) {
            source.next(nonce, 16);
        }
        assertThat(draws).isEqualTo(2);
        source.next(nonce, 16);
        assertThat(draws).isEqualTo(3);
    }

    @Test
    void entropyDeterminesAllNonces() {
        CounterNonceSource first = source(4);
        CounterNonceSource same = source(4);
        CounterNonceSource other = source(5);
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
    void bytesAfterTheNonceStayUnchanged() {
        byte[] target = new byte[20];
        source(6).next(target, 12);
        assertThat(Arrays.copyOfRange(target, 12, 20)).containsOnly(0);
        assertThat(Arrays.copyOf(target, 12)).isNotEqualTo(new byte[12]);
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16})
    void sourcesOfOneKeyRecogniseEachOthersNonces(int length) {
        Entropy entropy = seeded(10);
        NonceKey key = new NonceKey(entropy, new AtomicLong()::getAndIncrement);
        CounterNonceSource first = new CounterNonceSource(key, true, entropy);
        CounterNonceSource second = new CounterNonceSource(key, true, entropy);
        byte[] nonce = new byte[18];
        // Generates more than one range, because nonces of earlier ranges must be recognised as well.
        for (int i = 0; i < NonceKey.NONCES_PER_RANGE + 1_000; i++) {
            first.next(nonce, length);
            System.arraycopy(nonce, 0, nonce, 2, length);
            assertThat(first.isOwn(nonce, 2, length)).isTrue();
            assertThat(second.isOwn(nonce, 2, length)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16})
    void foreignNoncesAreNotRecognised(int length) {
        CounterNonceSource own = source(11);
        CounterNonceSource foreign = source(12);
        Random random = new Random(13);
        byte[] nonce = new byte[16];
        // Each of the two million checks succeeds by chance with probability 2^-32, so about one seed in 2,000 has a false match.
        for (int i = 0; i < NONCES; i++) {
            foreign.next(nonce, length);
            assertThat(own.isOwn(nonce, 0, length)).isFalse();
            random.nextBytes(nonce);
            assertThat(own.isOwn(nonce, 0, length)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16})
    void changedNonceIsNotRecognised(int length) {
        CounterNonceSource source = source(14);
        byte[] nonce = new byte[16];
        source.next(nonce, length);
        for (int bit = 0; bit < length * Byte.SIZE; bit++) {
            nonce[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(source.isOwn(nonce, 0, length)).as("bit %d", bit).isFalse();
            nonce[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @Test
    void recognitionCanBeDisabled() {
        Entropy entropy = seeded(15);
        CounterNonceSource source = new CounterNonceSource(new NonceKey(entropy, new AtomicLong()::getAndIncrement), false, entropy);
        byte[] nonce = new byte[16];
        source.next(nonce, 16);
        assertThat(source.isOwn(nonce, 0, 16)).isFalse();
        assertThat(source.isOwn(nonce, 0, 12)).isFalse();
    }
}
