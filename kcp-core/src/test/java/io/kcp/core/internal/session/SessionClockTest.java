package io.kcp.core.internal.session;

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

    @Test
    void longForwardStepIsIgnored() {
        SessionClock clock = new SessionClock(0);
        assertThat(clock.advance(1 << 30)).isEqualTo(1 << 30);
        clock = new SessionClock(0);
        assertThat(clock.advance((1 << 30) + 1)).isZero();
        assertThat(clock.advance((1 << 30) + 6)).isEqualTo(5);
    }

    @Test
    void readingThatIsOneSecondOldIsOutdated() {
        SessionClock clock = new SessionClock(5_000);
        clock.advance(4_000);
        assertThat(clock.advance(5_001)).as("only the newest reading counts").isEqualTo(5_001);
        clock.advance(4_000);
        assertThat(clock.advance(4_001)).as("the clock was set back").isEqualTo(5_002);
    }

    @Test
    void microsecondsRefineTheMillisecond() {
        SessionClock clock = new SessionClock(77);
        assertThat(clock.resolutionUs()).isEqualTo(1_000);
        clock.refine(123_456_250);
        assertThat(clock.resolutionUs()).isEqualTo(1);
        assertThat(clock.timeUs()).isEqualTo(250);
        clock.refine(123_456_900);
        assertThat(clock.timeUs()).isEqualTo(900);
        clock.advance(78);
        clock.refine(123_457_100);
        assertThat(clock.timeUs()).isEqualTo(1_100);
    }

    @Test
    void refinedTimeStaysWithinTheMillisecondAndNeverDecreases() {
        SessionClock clock = new SessionClock(0);
        clock.refine(500);
        clock.advance(1);
        clock.refine(600);
        assertThat(clock.timeUs()).as("microseconds of the millisecond before").isEqualTo(1_000);
        clock.refine(2_400);
        assertThat(clock.timeUs()).as("microseconds of the next millisecond").isEqualTo(1_999);
        clock.refine(1_100);
        assertThat(clock.timeUs()).isEqualTo(1_999);
    }

    @Test
    void clocksThatDriftApartAreAlignedAgain() {
        SessionClock clock = new SessionClock(0);
        clock.refine(0);
        clock.advance(10);
        clock.refine(3_300);
        assertThat(clock.timeUs()).as("7 ms behind").isEqualTo(10_300);
        clock.advance(20);
        clock.refine(19_700);
        assertThat(clock.timeUs()).as("6 ms ahead").isEqualTo(20_700);
        clock.advance(21);
        clock.refine(20_700);
        assertThat(clock.timeUs()).isEqualTo(21_700);
    }
}
