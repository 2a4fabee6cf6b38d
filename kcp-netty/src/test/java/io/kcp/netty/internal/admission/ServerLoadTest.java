package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerLoadTest {

    private static final long NOW_MS = 5_000;

    private final SessionCounts counts = new SessionCounts(SessionLimits.DEFAULT.withUnvalidated(4_096));
    private final ServerLoad load = new ServerLoad(counts, FloodLimits.DEFAULT);

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "64, 32", "65, 32", "100, 50", "256, 64", "4096, 1024"})
    void loadBeginsBelowTheLimitOnUnvalidatedSessions(int maxUnvalidated, int threshold) {
        SessionCounts some = new SessionCounts(SessionLimits.DEFAULT.withUnvalidated(maxUnvalidated));
        ServerLoad small = new ServerLoad(some, FloodLimits.DEFAULT);
        some.addUnvalidated(threshold);
        assertThat(small.isHigh(NOW_MS)).isFalse();
        some.addUnvalidated(1);
        assertThat(some.unvalidated()).isLessThanOrEqualTo(maxUnvalidated);
        assertThat(small.isHigh(NOW_MS)).isTrue();
    }

    @Test
    void defaultLimitOnOpeningsDependsOnProcessorsAndSessions() {
        assertThat(FloodLimits.DEFAULT.openingsPerSecond(1, 2)).isEqualTo(8_192);
        FloodLimits withoutProofs = FloodLimits.DEFAULT.withAddressProof(false);
        assertThat(withoutProofs.openingsPerSecond(256, 2)).isEqualTo(512);
        assertThat(withoutProofs.openingsPerSecond(65_536, 2)).isEqualTo(8_192);
        assertThat(FloodLimits.DEFAULT.withOpeningsPerSecond(50_000).openingsPerSecond(256, 2)).isEqualTo(50_000);
        assertThat(FloodLimits.DEFAULT.withOpeningsPerSecond(0).openingsPerSecond(256, 2)).isZero();
    }

    @Test
    void evictionCountsAsLoadForOneSecond() {
        load.onEvicted(NOW_MS);
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS - 1)).isTrue();
        load.onEvicted(NOW_MS + 500);
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS)).isTrue();
        assertThat(load.isHigh(NOW_MS + 500 + ServerLoad.EVICTION_MS)).isFalse();
    }

    @Test
    void fullOpeningQueueCountsAsLoadForOneSecond() {
        load.onOpeningQueueFull(NOW_MS);
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS - 1)).isTrue();
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS)).isFalse();
    }

    @Test
    void askingForAnOpeningCountsNone() {
        ServerLoad slow = new ServerLoad(counts, FloodLimits.DEFAULT.withOpeningsPerSecond(10));
        assertThat(slow.hasOpening(NOW_MS)).isTrue();
        assertThat(slow.hasOpening(NOW_MS)).isTrue();
        assertThat(slow.takeOpening(NOW_MS)).isTrue();
        assertThat(slow.hasOpening(NOW_MS)).isFalse();
        assertThat(slow.hasOpening(NOW_MS + 100)).isTrue();
    }

    @Test
    void manyRefusalsOfTheFilterCountAsLoadForOneSecond() {
        for (int i = 0; i < ServerLoad.FILTERED_PER_SECOND; i++) {
            load.onFiltered(NOW_MS);
            assertThat(load.isHigh(NOW_MS)).as("refusal %d", i).isFalse();
        }
        load.onFiltered(NOW_MS);
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS - 1)).isTrue();
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS)).isFalse();
        load.onFiltered(NOW_MS + ServerLoad.EVICTION_MS);
        assertThat(load.isHigh(NOW_MS + ServerLoad.EVICTION_MS)).as("few refusals").isFalse();
    }

    /** The burst is a 32nd of the sessions per second. */
    @Test
    void openingsAreLimitedToABurstAndARate() {
        ServerLoad limited = new ServerLoad(counts, FloodLimits.DEFAULT.withOpeningsPerSecond(3_200));
        assertThat(openings(limited, NOW_MS)).isEqualTo(100);
        int opened = 0;
        for (int ms = 1; ms <= 1_000; ms++) {
            opened += openings(limited, NOW_MS + ms);
        }
        assertThat(opened).isBetween(3_190, 3_210);
        assertThat(openings(new ServerLoad(counts, FloodLimits.DEFAULT.withOpeningsPerSecond(0)), NOW_MS)).as("no limit").isEqualTo(10_000);
    }

    private static int openings(ServerLoad server, long nowMs) {
        int opened = 0;
        while (opened < 10_000 && server.takeOpening(nowMs)) {
            opened++;
        }
        return opened;
    }
}
