package io.kcp.netty.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TombstonesTest {

    private static final int MAX_ENTRIES = 65_536;

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

    /** An attacker that chooses addresses and conversation ids must not be able to make each lookup search the whole table. */
    @Test
    void keysThatAreChosenToCollideCostNoMoreThanOthers() {
        IntUnaryOperator equalHashes = ip -> -31 * address(ip).hashCode();
        long ordinary = fillAndSearchMs(ip -> ip * 0x9E3779B9);
        long chosen = fillAndSearchMs(equalHashes);
        System.out.println("ordinary " + ordinary + " ms, chosen " + chosen + " ms");
        assertThat(chosen).isLessThan(10 * ordinary + 500);
    }

    private static long fillAndSearchMs(IntUnaryOperator conv) {
        Tombstones full = new Tombstones(new SecureRandom());
        int entries = 20_000;
        long start = System.nanoTime();
        for (int ip = 0; ip < entries; ip++) {
            full.add(address(ip), conv.applyAsInt(ip), at(0));
        }
        for (int ip = entries; ip < 2 * entries; ip++) {
            if (full.find(address(ip), conv.applyAsInt(ip), 1) != null) {
                throw new AssertionError("found what was never added");
            }
        }
        return (System.nanoTime() - start) / 1_000_000;
    }
}
