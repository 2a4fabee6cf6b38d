package io.kcp.core.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AckQueueTest {

    private static final int LIMIT = 32;

    private final AckQueue acks = new AckQueue();

    @Test
    void keepsPairsInOrderOfArrival() {
        for (int i = 0; i < 20; i++) {
            acks.add(100 - i, 1_000 + i, 0, LIMIT);
        }
        assertThat(acks.size()).isEqualTo(20);
        for (int i = 0; i < 20; i++) {
            assertThat(acks.firstSn()).isEqualTo(100 - i);
            assertThat(acks.firstTs()).isEqualTo(1_000 + i);
            acks.removeFirst();
        }
        assertThat(acks.isEmpty()).isTrue();
    }

    @Test
    void keepsTheOrderWhileItWrapsAndGrows() {
        int next = 0;
        int expected = 0;
        for (int round = 1; round < 40; round++) {
            for (int i = 0; i < round; i++, next++) {
                acks.add(next, -next, 0, 1_000);
            }
            for (int i = 0; i < round / 2; i++, expected++) {
                assertThat(acks.firstSn()).isEqualTo(expected);
                assertThat(acks.firstTs()).isEqualTo(-expected);
                acks.removeFirst();
            }
        }
        assertThat(acks.size()).isEqualTo(next - expected);
    }

    @Test
    void fullQueueDropsEntriesThatUnaCovers() {
        for (int sn = 0; sn < LIMIT; sn++) {
            acks.add(sn, sn, 0, LIMIT);
        }
        acks.add(99, 99, 30, LIMIT);
        assertThat(drain()).containsExactly(30, 31, 99);
    }

    @Test
    void coveredEntriesAreDroppedAcrossTheWrapOfNumbers() {
        for (int i = 0; i < LIMIT; i++) {
            acks.add(-16 + i, i, -16, LIMIT);
        }
        acks.add(50, 0, 0, LIMIT);
        assertThat(acks.size()).isEqualTo(17);
        assertThat(acks.firstSn()).isZero();
    }

    @Test
    void coveredEntriesAreDroppedWhereTheRingWraps() {
        for (int sn = 0; sn < 20; sn++) {
            acks.add(sn, sn, 0, LIMIT);
        }
        for (int i = 0; i < 20; i++) {
            acks.removeFirst();
        }
        for (int sn = 20; sn < 20 + LIMIT; sn++) {
            acks.add(sn, sn, 0, LIMIT);
        }
        acks.add(99, 99, 50, LIMIT);
        assertThat(drain()).containsExactly(50, 51, 99);
    }

    @Test
    void fullQueueDropsNewEntryIfAllAreNeeded() {
        for (int i = 0; i < 10_000; i++) {
            acks.add(i, i, 0, LIMIT);
        }
        assertThat(acks.size()).isEqualTo(LIMIT);
        assertThat(drain()).last().isEqualTo(LIMIT - 1);
    }

    @Test
    void reducedLimitHoldsForQueuedEntries() {
        for (int i = 0; i < 100; i++) {
            acks.add(i, i, 0, 128);
        }
        for (int i = 0; i < 10_000; i++) {
            acks.add(1_000 + i, i, 0, LIMIT);
        }
        assertThat(acks.size()).isLessThanOrEqualTo(100);
    }

    /** With a search in every call, this test would take minutes: 3 million calls times 65,535 entries. */
    @Test
    @Timeout(20)
    void costOfAddingDoesNotDependOnWindow() {
        int window = 65_535;
        for (int i = 0; i < window; i++) {
            acks.add(2 * i + 1, 0, 0, window);
        }
        for (int i = 0; i < 3_000_000; i++) {
            acks.add(2 * window + i, 0, i / 100, window);
        }
        assertThat(acks.size()).isLessThanOrEqualTo(window);
    }

    @Test
    void largeArrayIsFreedOnlyWhenEmpty() {
        for (int i = 0; i < 1_000; i++) {
            acks.add(i, i, 0, 1_000);
        }
        acks.trim();
        assertThat(acks.isLarge()).isTrue();
        assertThat(acks.size()).isEqualTo(1_000);
        drain();
        acks.trim();
        assertThat(acks.isLarge()).isFalse();
        acks.add(5, 6, 0, LIMIT);
        assertThat(drain()).containsExactly(5);
    }

    private List<Integer> drain() {
        List<Integer> numbers = new ArrayList<>();
        while (!acks.isEmpty()) {
            numbers.add(acks.firstSn());
            acks.removeFirst();
        }
        return numbers;
    }
}
