package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
            assertThat(acks.sn(i)).isEqualTo(100 - i);
            assertThat(acks.ts(i)).isEqualTo(1_000 + i);
        }
    }

    @Test
    void isEmptyAfterClear() {
        assertThat(acks.isEmpty()).isTrue();
        acks.add(1, 1, 0, LIMIT);
        assertThat(acks.isEmpty()).isFalse();
        acks.removeFirst(acks.size());
        assertThat(acks.isEmpty()).isTrue();
    }

    @Test
    void entriesThatUnaCoversMakeRoomWhenItIsFull() {
        for (int sn = 0; sn < LIMIT; sn++) {
            acks.add(sn, sn, 0, LIMIT);
        }
        acks.add(99, 99, 30, LIMIT);
        assertThat(acks.size()).isEqualTo(3);
        assertThat(acks.sn(0)).isEqualTo(30);
        assertThat(acks.sn(1)).isEqualTo(31);
        assertThat(acks.sn(2)).isEqualTo(99);
        assertThat(acks.ts(2)).isEqualTo(99);
    }

    @Test
    void roomIsMadeAcrossTheWrapOfNumbers() {
        for (int i = 0; i < LIMIT; i++) {
            acks.add(-16 + i, i, -16, LIMIT);
        }
        acks.add(50, 0, 0, LIMIT);
        assertThat(acks.size()).isEqualTo(17);
        assertThat(acks.sn(0)).isZero();
    }

    @Test
    void aNewEntryIsDroppedWhenAllAreStillNeeded() {
        for (int i = 0; i < 10_000; i++) {
            acks.add(i, i, 0, LIMIT);
        }
        assertThat(acks.size()).isEqualTo(LIMIT);
        assertThat(acks.sn(LIMIT - 1)).isEqualTo(LIMIT - 1);
    }

    @Test
    void aLimitThatBecameSmallerThanWhatWaitsStillHolds() {
        for (int i = 0; i < 100; i++) {
            acks.add(i, i, 0, 128);
        }
        for (int i = 0; i < 10_000; i++) {
            acks.add(1_000 + i, i, 0, LIMIT);
        }
        assertThat(acks.size()).isLessThanOrEqualTo(100);
    }
}
