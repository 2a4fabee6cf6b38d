package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TombstonesTest {

    private static final int MAX_ENTRIES = 65_536;
    private static final int KEYS = 40_000;
    /** With random hash codes of 32 bits, {@value #KEYS} keys cause less than one comparison on average. */
    private static final int MAX_COMPARISONS = 10;

    private final Tombstones tombstones = new Tombstones(new SecureRandom());

    private static InetSocketAddress address(int ip) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(ip).array()), 5_000);
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError(wrongLength);
        }
    }

    private static Tombstones.Tombstone at(long closedAtMs) {
        return new Tombstones.Tombstone(closedAtMs, 3, true, null);
    }

    @Test
    void remembersForThirtySeconds() {
        tombstones.add(address(1), 7, at(1_000));
        assertThat(tombstones.find(address(1), 7, 1_000)).isEqualTo(at(1_000));
        assertThat(tombstones.find(address(1), 7, 30_999)).isNotNull();
        assertThat(tombstones.find(address(1), 7, 31_000)).isNull();
        assertThat(tombstones.find(address(1), 8, 1_000)).isNull();
        assertThat(tombstones.find(address(2), 7, 1_000)).isNull();
    }

    @Test
    void laterEndOfTheSameSessionReplacesTheEarlier() {
        tombstones.add(address(1), 7, at(1_000));
        tombstones.add(address(2), 7, at(2_000));
        tombstones.add(address(1), 7, at(25_000));
        tombstones.add(address(3), 7, at(40_000));
        assertThat(tombstones.find(address(1), 7, 40_000)).isEqualTo(at(25_000));
        assertThat(tombstones.find(address(2), 7, 31_000)).as("expired on the way").isNull();
    }

    @Test
    void peerThatHeardUsMayComeBackEarlier() {
        assertThat(new Tombstones.Tombstone(1_000, 0, true, null).mayReopen(5_999)).isFalse();
        assertThat(new Tombstones.Tombstone(1_000, 0, true, null).mayReopen(6_000)).isTrue();
        assertThat(new Tombstones.Tombstone(1_000, 0, false, null).mayReopen(30_999)).isFalse();
        assertThat(new Tombstones.Tombstone(1_000, 0, false, null).mayReopen(31_000)).isTrue();
    }

    @Test
    void capacityMayBeSmaller() {
        Tombstones few = new Tombstones(new SecureRandom(), 2);
        for (int i = 0; i < 3; i++) {
            few.add(address(i), i, at(0));
        }
        assertThat(few.find(address(0), 0, 1)).isNull();
        assertThat(few.find(address(1), 1, 1)).isNotNull();
        assertThat(few.find(address(2), 2, 1)).isNotNull();
    }

    @Test
    void forgetsTheOldestWhenFull() {
        for (int i = 0; i <= MAX_ENTRIES; i++) {
            tombstones.add(address(i), i, at(0));
        }
        assertThat(tombstones.find(address(0), 0, 1)).isNull();
        assertThat(tombstones.find(address(1), 1, 1)).isNotNull();
        assertThat(tombstones.find(address(MAX_ENTRIES), MAX_ENTRIES, 1)).isNotNull();
    }

    /** A map compares two keys only if their hash codes are equal, so colliding hash codes appear as comparisons. */
    private record CountedKey(Tombstones.Key key, AtomicInteger comparisons) {

        @Override
        public boolean equals(Object other) {
            assertThat(comparisons.incrementAndGet()).as("comparisons of different keys").isLessThan(MAX_COMPARISONS);
            return other instanceof CountedKey counted && counted.key.equals(key);
        }

        @Override
        public int hashCode() {
            return key.hashCode();
        }
    }

    /** An attacker that chooses addresses and conversation ids must not be able to make each lookup search the whole table. */
    @Test
    void keysThatAreChosenToCollideAreNotCompared() {
        InetSocketAddress oneAddress = address(1);
        assertNoComparisons("equal results of Objects.hash", i -> tombstones.key(address(i), -31 * address(i).hashCode()));
        assertNoComparisons("equal sums", i -> tombstones.key(address(i), -address(i).hashCode()));
        assertNoComparisons("equal exclusive ors", i -> tombstones.key(address(i), address(i).hashCode()));
        assertNoComparisons("one conversation id", i -> tombstones.key(address(i), 7));
        assertNoComparisons("one address", i -> tombstones.key(oneAddress, i));
    }

    /** Stores half of the keys in a map of the type that the table uses, and searches it for the others. */
    private static void assertNoComparisons(String keys, IntFunction<Tombstones.Key> key) {
        AtomicInteger comparisons = new AtomicInteger();
        Map<CountedKey, Integer> entries = new LinkedHashMap<>();
        for (int i = 0; i < KEYS / 2; i++) {
            entries.put(new CountedKey(key.apply(i), comparisons), i);
        }
        for (int i = KEYS / 2; i < KEYS; i++) {
            assertThat(entries.get(new CountedKey(key.apply(i), comparisons))).as(keys).isNull();
        }
        assertThat(entries).as(keys).hasSize(KEYS / 2);
    }

    /** An attacker who runs this program must not be able to find keys that collide in the table of another process. */
    @Test
    void hashCodesDifferFromTableToTable() {
        Tombstones other = new Tombstones(new SecureRandom());
        assertThat(IntStream.range(0, KEYS).filter(i -> tombstones.key(address(i), i).hashCode() == other.key(address(i), i).hashCode()))
            .as("keys with the same hash code in both tables").hasSizeLessThan(MAX_COMPARISONS);
    }
}
