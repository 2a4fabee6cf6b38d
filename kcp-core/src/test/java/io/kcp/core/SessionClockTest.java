package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionClockTest {

    @Test
    void startsAtTheCallersTime() {
        assertThat(new SessionClock(-7).timeMs()).isEqualTo(-7);
    }

    @Test
    void followsTheCallersClock() {
        SessionClock clock = new SessionClock(100);
        assertThat(clock.advance(100)).isEqualTo(100);
        assertThat(clock.advance(130)).isEqualTo(130);
        assertThat(clock.timeMs()).isEqualTo(130);
    }

    @Test
    void clockSetBackContinuesFromTheLatestTime() {
        SessionClock clock = new SessionClock(3_600_000);
        assertThat(clock.advance(0)).isEqualTo(3_600_000);
        assertThat(clock.advance(10)).isEqualTo(3_600_010);
    }

    @Test
    void lateReadingsCountOnce() {
        SessionClock clock = new SessionClock(0);
        for (int ms = 10; ms <= 1_000; ms += 10) {
            clock.advance(ms);
            clock.advance(ms - 7);
        }
        assertThat(clock.timeMs()).isEqualTo(1_000);
    }

    @Test
    void followsTheClockAcrossBothWraps() {
        SessionClock clock = new SessionClock(Integer.MAX_VALUE);
        assertThat(clock.advance(Integer.MIN_VALUE)).isEqualTo(Integer.MIN_VALUE);
        clock = new SessionClock(-1);
        assertThat(clock.advance(4)).isEqualTo(4);
    }
}
