package io.kcp.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentRingTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final SegmentRing ring = new SegmentRing();

    @Test
    void emptyRingContainsNothing() {
        assertThat(ring.get(0)).isNull();
        assertThat(ring.get(-1)).isNull();
        ring.onEmpty();
        assertThat(ring.get(0)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, Integer.MAX_VALUE - 20, -20})
    void segmentsAreFoundWhileTheRingGrowsAndNumbersWrap(int start) {
        for (int i = 0; i < 1_000; i++) {
            ring.put(segment(start + i), start);
        }
        for (int i = 0; i < 1_000; i++) {
            Segment found = ring.get(start + i);
            assertThat(found).as("segment %d", i).isNotNull();
            assertThat(found.sn).isEqualTo(start + i);
        }
        assertThat(ring.get(start - 1)).isNull();
        assertThat(ring.get(start + 1_000)).isNull();
    }

    @Test
    void missingSegmentIsNotFoundInASharedSlot() {
        ring.put(segment(3), 0);
        assertThat(ring.get(3 + 16)).isNull();
        assertThat(ring.get(3 - 16)).isNull();
        assertThat(ring.get(2)).isNull();
    }

    @Test
    void distantNumberGrowsTheRing() {
        ring.put(segment(0), 0);
        ring.put(segment(5_000), 0);
        ring.put(segment(2_500), 0);
        assertThat(ring.get(0)).isNotNull();
        assertThat(ring.get(2_500)).isNotNull();
        assertThat(ring.get(5_000)).isNotNull();
    }

    @Test
    void clearedSegmentsAreNotFound() {
        ring.put(segment(0), 0);
        ring.put(segment(1), 0);
        ring.clear(0);
        assertThat(ring.get(0)).isNull();
        assertThat(ring.get(1)).isNotNull();
    }

    @Test
    void ringWorksAfterShrinking() {
        for (int i = 0; i < 4_096; i++) {
            ring.put(segment(i), 0);
        }
        for (int i = 0; i < 4_096; i++) {
            ring.clear(i);
        }
        int sn = 4_096;
        for (int round = 0; round < 200; round++) {
            ring.onEmpty();
            for (int i = 0; i < 20; i++) {
                ring.put(segment(sn + i), sn);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(ring.get(sn + i)).as("round %d segment %d", round, i).isNotNull();
                ring.clear(sn + i);
            }
            sn += 20;
        }
    }

    /** Stores segments in an empty ring and clears them again. */
    private void burst(int segments) {
        for (int sn = 0; sn < segments; sn++) {
            ring.put(segment(sn), 0);
        }
        for (int sn = 0; sn < segments; sn++) {
            ring.clear(sn);
        }
        ring.onEmpty();
    }

    @Test
    void alternatingBurstsKeepTheArray() {
        burst(1_000);
        int bytes = ring.arrayBytes();
        for (int i = 0; i < 100; i++) {
            for (int small = 0; small < 15; small++) {
                burst(50);
                assertThat(ring.arrayBytes()).isEqualTo(bytes);
            }
            burst(300);
            assertThat(ring.arrayBytes()).isEqualTo(bytes);
        }
    }

    @Test
    void arrayShrinksAfterManySmallBursts() {
        burst(1_000);
        int bytes = ring.arrayBytes();
        for (int halvings = 1; halvings <= 3; halvings++) {
            for (int i = 0; i < 16; i++) {
                assertThat(ring.arrayBytes()).isEqualTo(bytes >> halvings - 1);
                burst(20);
            }
            assertThat(ring.arrayBytes()).isEqualTo(bytes >> halvings);
        }
    }

    @Test
    void drainReleasesPayloads() {
        SegmentPool pool = new SegmentPool(leaks.allocator());
        for (int i = 0; i < 40; i++) {
            Segment segment = pool.acquire();
            segment.sn = i;
            segment.payload = leaks.allocator().buffer(10);
            ring.put(segment, 0);
        }
        ring.drainTo(pool);
        assertThat(leaks.outstanding()).isZero();
        assertThat(ring.get(0)).isNull();
    }

    private static Segment segment(int sn) {
        Segment segment = new Segment();
        segment.sn = sn;
        return segment;
    }
}
