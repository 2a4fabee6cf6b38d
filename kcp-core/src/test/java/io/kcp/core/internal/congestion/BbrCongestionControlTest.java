package io.kcp.core.internal.congestion;

import static io.kcp.core.internal.congestion.BbrRounds.ACK_BYTES;
import static io.kcp.core.internal.congestion.BbrRounds.BANDWIDTH;
import static io.kcp.core.internal.congestion.BbrRounds.PRODUCT_BYTES;
import static io.kcp.core.internal.congestion.BbrRounds.RTT_US;
import static io.kcp.core.internal.congestion.BbrRounds.SEGMENT_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kcp.core.internal.congestion.BbrCongestionControl.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The phases of BBR on a simulated clock. The expected gains, rounds and durations are those of draft-ietf-ccwg-bbr or of the constants of
 * {@link BbrCongestionControl} that deviate from it.
 */
class BbrCongestionControlTest {

    /** The acknowledgements of one datagram and the data of two milliseconds, by which each window exceeds its share of the product. */
    private static final long WINDOW_EXTRA_BYTES = ACK_BYTES + BANDWIDTH * 2 / 1_000;
    private static final long MIN_WINDOW_BYTES = 4 * SEGMENT_BYTES;

    private final BbrRounds path = new BbrRounds();
    private final BbrCongestionControl bbr = path.bbr;

    private void assertWindow(double gain) {
        assertThat(bbr.maxBytesInFlight()).isCloseTo((long) (gain * PRODUCT_BYTES) + WINDOW_EXTRA_BYTES, within(20L));
    }

    private void assertPace(double gain) {
        assertThat(bbr.pacingBytesPerSecond()).isCloseTo((long) (gain * BANDWIDTH), within(2L));
    }

    // ---- STARTUP

    @Test
    void startsWithTwentySegmentsWithoutPacing() {
        assertThat(path.phase()).isEqualTo(Phase.STARTUP);
        assertThat(bbr.maxBytesInFlight()).isEqualTo(20 * 1_400);
        assertThat(bbr.pacingBytesPerSecond()).isZero();
        assertThat(bbr.burstBytes()).isEqualTo(20 * 1_400);
        assertThat(bbr.bandwidth()).isZero();
        assertThat(bbr.minRttUs()).isZero();
        assertThat(bbr).hasToString("BbrCongestionControl(STARTUP, 0 B/s, 0 us, loss 0.0, window 28000)");
    }

    @Test
    void firstRoundTripSamplePacesTheInitialWindowAtTheStartupGain() {
        path.sample(RTT_US);
        assertThat(bbr.pacingBytesPerSecond()).as("an ACK without newly acknowledged data").isZero();
        path.bandwidth = 20_000;
        path.round();
        assertThat(bbr.pacingBytesPerSecond()).isEqualTo((long) (2.77 * 20 * SEGMENT_BYTES * 10));
        assertThat(bbr.minRttUs()).isEqualTo(RTT_US);
    }

    @Test
    void startupPacesAtTwoPointSevenSevenTimesTheBandwidth() {
        path.round();
        assertPace(2.77);
        path.bandwidth = 500_000;
        path.round();
        assertPace(2.77);
        path.bandwidth = 2 * BANDWIDTH;
        path.round();
        assertPace(2 * 2.77);
    }

    @Test
    void startupGrowsByTheAcknowledgedBytesUpToTwiceTheProduct() {
        path.round();
        assertThat(bbr.maxBytesInFlight()).isBetween(PRODUCT_BYTES, 20 * SEGMENT_BYTES + PRODUCT_BYTES);
        path.round();
        assertWindow(2);
        path.round();
        assertWindow(2);
    }

    @Test
    void startupEndsAfterThreeRoundsWithoutGrowthOfAQuarter() {
        path.bandwidth = 800_000;
        path.rounds(3);
        path.bandwidth = BANDWIDTH;
        path.round();
        path.rounds(2);
        assertThat(path.phase()).as("the fourth round grew by 25 %%").isEqualTo(Phase.STARTUP);
        path.bandwidth = 1_240_000;
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
    }

    @Test
    void applicationLimitedRoundsDoNotEndStartup() {
        path.applicationLimited = true;
        path.rounds(20);
        assertThat(path.phase()).isEqualTo(Phase.STARTUP);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
        path.applicationLimited = false;
        path.rounds(4);
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
    }

    @Test
    void risingDelayEndsStartupAndTheNextProbeFollowsAfterOneRoundTrip() {
        path.round();
        path.bandwidth = 2 * BANDWIDTH;
        path.rttUs = 130_000;
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
        path.bandwidth = BANDWIDTH;
        path.rttUs = RTT_US;
        path.drain();
        assertThat(path.roundsIn(Phase.CRUISE)).isLessThanOrEqualTo(2);
        assertThat(path.phase()).isEqualTo(Phase.UP);
    }

    @Test
    void applicationLimitedSamplesNeverReduceTheBandwidth() {
        path.startUp();
        path.applicationLimited = true;
        path.bandwidth = 100_000;
        path.rounds(200);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
        path.bandwidth = 3 * BANDWIDTH;
        path.round();
        assertThat(bbr.bandwidth()).as("a higher rate is a sample in any case").isEqualTo(3 * BANDWIDTH);
    }

    @Test
    void samplesOverLessThanARoundTripAreIgnored() {
        path.round();
        path.sample(2 * RTT_US);
        path.rttUs = RTT_US - 1;
        path.bandwidth = 2 * BANDWIDTH;
        path.round();
        assertThat(bbr.bandwidth()).as("a new minimum is a valid interval").isGreaterThan(BANDWIDTH);
        path.timeUs += 1;
        assertThat(bbr.minRttUs()).isEqualTo(RTT_US - 1);
    }

    // ---- DRAIN

    @Test
    void drainPacesAtHalfTheBandwidthUntilTheQueueIsEmpty() {
        path.rounds(4);
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
        assertPace(0.5);
        assertWindow(2);
        path.inFlightBytes = PRODUCT_BYTES + 1;
        path.acknowledge(1);
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
        path.inFlightBytes = PRODUCT_BYTES;
        path.acknowledge(1);
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
    }

    @Test
    void drainEndsAfterFourRounds() {
        path.rounds(4);
        path.rounds(3);
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
    }

    // ---- CRUISE

    @Test
    void cruisePacesOnePercentBelowTheBandwidth() {
        path.startUp();
        path.round();
        assertPace(0.99);
        assertWindow(1.1);
    }

    @Test
    void cruiseDrainsAShortQueue() {
        path.startUp();
        path.rounds(2);
        path.rttUs = 111_000;
        path.rounds(1);
        assertThat(bbr.pacingBytesPerSecond()).isCloseTo((long) (0.99 * 0.95 * BANDWIDTH), within(2L));
        path.rttUs = 110_000;
        path.rounds(1);
        assertPace(0.99);
    }

    @Test
    void cruiseLastsEightToTwelveRoundTripsAndAtLeastOneSecond() {
        path.startUp();
        for (int cycle = 0; cycle < 10; cycle++) {
            assertThat(path.roundsIn(Phase.CRUISE)).isBetween(10, 16);
            assertThat(path.phase()).isEqualTo(Phase.UP);
            path.cycle();
        }
    }

    @Test
    void cruiseOnALongPathLastsEightToTwelveRoundTrips() {
        path.rttUs = 500_000;
        path.rounds(4);
        path.rounds(4);
        assertThat(path.roundsIn(Phase.CRUISE)).isBetween(8, 13);
    }

    @Test
    void pathWithOtherSendersHasALargerWindow() {
        path.startUp();
        path.rttUs = 160_000;
        path.rounds(2);
        assertThat(bbr.isCrowded()).isTrue();
        path.round();
        assertWindowIsProduct(2 + 0.6);
        path.roundsUntil(Phase.UP);
        path.round();
        assertWindowIsProduct(2.5 + 0.6);
        assertThat(bbr).asString().endsWith(", crowded)");
    }

    @Test
    void windowBesideOtherSendersIsLimited() {
        path.startUp();
        path.rttUs = 900_000;
        path.rounds(2);
        assertThat(bbr.isCrowded()).isTrue();
        path.round();
        assertThat(bbr.maxBytesInFlight()).as("four round trips, and bytes that are acknowledged together")
            .isBetween(4 * PRODUCT_BYTES, 5 * PRODUCT_BYTES);
    }

    private void assertWindowIsProduct(double gain) {
        assertThat(bbr.maxBytesInFlight()).isBetween((long) (gain * PRODUCT_BYTES), (long) (gain * PRODUCT_BYTES) + 20_000);
    }

    // ---- UP and DOWN

    @Test
    void probeRaisesTheRateByAQuarterForTwoRounds() {
        path.startUp();
        path.roundsIn(Phase.CRUISE);
        assertThat(path.phase()).isEqualTo(Phase.UP);
        assertPace(1.25);
        path.round();
        assertWindow(1.15);
        assertPace(1.25);
        assertThat(path.phase()).isEqualTo(Phase.UP);
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.DOWN);
        assertPace(0.75);
    }

    @Test
    void probeAcceleratesWhileTheBandwidthGrows() {
        path.startUp();
        path.roundsIn(Phase.CRUISE);
        double gain = 1.25;
        for (int i = 0; i < 5; i++) {
            path.bandwidth = path.bandwidth * 6 / 5;
            path.round();
            gain = Math.min(gain * 1.2, 2);
            assertThat(path.phase()).isEqualTo(Phase.UP);
            assertThat(bbr.bandwidth()).isCloseTo(path.bandwidth, within(1_000L));
            assertThat(bbr.pacingBytesPerSecond()).isCloseTo((long) (gain * path.bandwidth), within(2_000L));
        }
        assertThat(path.roundsIn(Phase.UP)).as("rounds without growth").isEqualTo(2);
        path.drain();
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
    }

    @Test
    void growthOfTenPercentDoesNotAccelerateTheProbe() {
        path.startUp();
        path.roundsIn(Phase.CRUISE);
        path.bandwidth = BANDWIDTH * 11 / 10;
        path.rounds(2);
        assertThat(path.phase()).isEqualTo(Phase.DOWN);
    }

    @Test
    void bandwidthIsTheMaximumOfTwoProbes() {
        path.startUp();
        path.cycle();
        path.bandwidth = 900_000;
        path.roundsUntil(Phase.DOWN);
        assertThat(bbr.bandwidth()).as("the previous probe").isEqualTo(BANDWIDTH);
        path.drain();
        assertThat(bbr.bandwidth()).isEqualTo(900_000);
    }

    // ---- losses

    @Test
    void lossesWithoutAnotherSignOfCongestionDoNotReduceTheRate() {
        path.startUp();
        path.lossShare = 0.2;
        path.rounds(8);
        assertThat(bbr.bandwidth()).isGreaterThanOrEqualTo(BANDWIDTH);
        assertWindow(1.1);
    }

    @ParameterizedTest
    @CsvSource({"800_000, 800_000", "500_000, 700_000"})
    void lossesWithAQueueReduceTheBandwidth(int delivered, int expected) {
        path.startUp();
        path.rounds(2);
        long window = bbr.maxBytesInFlight();
        path.rttUs = 140_000;
        path.bandwidth = delivered;
        path.lossShare = 0.2;
        path.roundsWhile(() -> bbr.bandwidth() == BANDWIDTH);
        assertThat(bbr.bandwidth()).isEqualTo(expected);
        assertThat(bbr.maxBytesInFlight()).as("at least the product").isBetween((long) (0.7 * window), PRODUCT_BYTES);
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
    }

    @Test
    void lossesAreACongestionSignalIfTheDeliveryRateFallsBehind() {
        path.startUp();
        path.rounds(2);
        path.bandwidth = 960_000;
        path.lossShare = 0.2;
        path.rounds(2);
        assertThat(bbr.bandwidth()).isEqualTo(960_000);
    }

    @Test
    void boundOfTheWindowEndsWithTheNextProbe() {
        path.startUp();
        path.rounds(2);
        path.bandwidth = 960_000;
        path.lossShare = 0.2;
        path.rounds(2);
        assertThat(bbr.maxBytesInFlight()).isLessThanOrEqualTo(PRODUCT_BYTES);
        path.bandwidth = BANDWIDTH;
        path.lossShare = 0;
        path.rounds(2);
        assertThat(bbr.maxBytesInFlight()).isLessThanOrEqualTo(PRODUCT_BYTES);
        path.roundsUntil(Phase.UP);
        path.round();
        assertWindow(1.15);
    }

    @Test
    void lossesDuringAProbeEndTheProbe() {
        path.startUp();
        path.roundsUntil(Phase.UP);
        path.rttUs = 140_000;
        path.lossShare = 0.4;
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.DOWN);
    }

    @Test
    void singleLossesAreNotASignal() {
        path.startUp();
        long window = bbr.maxBytesInFlight();
        path.lose(10);
        assertThat(bbr.maxBytesInFlight()).isEqualTo(window);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
    }

    @Test
    void randomLossesAreCompensated() {
        path.startUp();
        path.cycle();
        path.lossShare = 0.1;
        path.bandwidth = 900_000;
        path.roundsIn(Phase.CRUISE);
        assertThat(bbr.lossShare()).isCloseTo(0.1, within(0.005));
        assertThat(path.phase()).as("finds out whether the losses depend on the rate").isEqualTo(Phase.SLOW);
        assertThat(bbr.pacingBytesPerSecond()).isCloseTo((long) (0.8 * bbr.bandwidth()), within(2L));
        assertThat(bbr.burstBytes()).isEqualTo(Math.max(SEGMENT_BYTES, bbr.pacingBytesPerSecond() / 1_000));
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.UP);
        path.cycle();
        path.cycle();
        path.cycle();
        assertThat(bbr.bandwidth()).as("lost bytes also used the bottleneck").isCloseTo(BANDWIDTH, within(20_000L));
    }

    @Test
    void lossesThatDependOnTheRateReduceTheBandwidthByTheirShare() {
        loseAtBandwidthOnly(0.1);
        assertThat(bbr.bandwidth()).isCloseTo(900_000, within(10_000L));
        assertThat(bbr.lossShare()).as("not a property of the path").isLessThanOrEqualTo(0.02);
    }

    /** Runs a cycle whose losses vanish in the slow phase, up to the first round of the probe. */
    private void loseAtBandwidthOnly(double share) {
        path.startUp();
        path.cycle();
        path.lossShare = share;
        path.bandwidth = (long) (BANDWIDTH * (1 - share));
        path.roundsUntil(Phase.SLOW);
        path.lossShare = 0;
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.UP);
        path.round();
    }

    @Test
    void policerIsHeldAfterTwoProbesWithLossesWithoutAQueue() {
        loseAtBandwidthOnly(0.1);
        path.lossShare = 0.2;
        path.bandwidth = 900_000;
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.DOWN);
        path.lossShare = 0;
        path.drain();
        path.roundsUntil(Phase.UP);
        path.round();
        path.lossShare = 0.2;
        path.bandwidth = 850_000;
        path.round();
        assertThat(path.phase()).isEqualTo(Phase.DOWN);
        assertThat(bbr.bandwidth()).as("the delivered rate").isCloseTo(850_000, within(5_000L));
        path.lossShare = 0;
        path.bandwidth = BANDWIDTH;
        path.drain();
        assertThat(path.roundsIn(Phase.CRUISE)).as("probes become less frequent: 4 × (1 to 1.5 s)").isBetween(38, 62);
    }

    // ---- changes of the path

    @Test
    void lowerDeliveryRateWithALongQueueReplacesTheBandwidthAfterTwoRounds() {
        path.startUp();
        path.rounds(3);
        path.rttUs = 160_000;
        path.bandwidth = 790_000;
        path.round();
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
        path.round();
        assertThat(bbr.bandwidth()).isEqualTo(790_000);
    }

    @ParameterizedTest
    @CsvSource({"810_000, 160_000", "790_000, 150_000"})
    void bandwidthIsKeptWithoutALongQueueOrIfTheRateIsAlmostReached(int delivered, int rttUs) {
        path.startUp();
        path.rounds(3);
        path.rttUs = rttUs;
        path.bandwidth = delivered;
        path.rounds(4);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
    }

    @Test
    void minimumRoundTripIsMeasuredAgainAfterTenSeconds() {
        path.startUp();
        path.rttUs = 106_000;
        long confirmedUs = path.timeUs;
        path.roundsUntil(Phase.PROBE_RTT);
        assertThat(path.timeUs - confirmedUs).isBetween(10_000_000L, 13_000_000L);
        assertThat(bbr.maxBytesInFlight()).as("half of the product").isCloseTo(PRODUCT_BYTES / 2, within(20L));
        assertPace(1);
        path.round();
        assertThat(path.phase()).as("106 ms").isEqualTo(Phase.PROBE_RTT);
        assertThat(bbr.minRttUs()).isEqualTo(RTT_US);
        path.round();
        assertThat(path.phase()).as("212 ms").isEqualTo(Phase.CRUISE);
        assertThat(bbr.minRttUs()).isEqualTo(106_000);
    }

    @Test
    void minimumRoundTripIsNotMeasuredAgainWhileSamplesConfirmIt() {
        path.startUp();
        path.rttUs = 103_000;
        for (int i = 0; i < 300; i++) {
            path.round();
            assertThat(path.phase()).isNotEqualTo(Phase.PROBE_RTT);
        }
        assertThat(bbr.minRttUs()).isEqualTo(RTT_US);
    }

    @Test
    void interruptedPathIsProbedWithAMinimumWindow() {
        path.startUp();
        path.rounds(2);
        long window = bbr.maxBytesInFlight();
        path.interrupt();
        path.interrupt();
        assertThat(bbr.maxBytesInFlight()).isEqualTo(MIN_WINDOW_BYTES);
        assertThat(bbr.bandwidth()).as("the model stays").isEqualTo(BANDWIDTH);
        bbr.onInterruptionUndone();
        assertThat(bbr.maxBytesInFlight()).isEqualTo(window);
    }

    @Test
    void windowGrowsWithTheAcknowledgedBytesAfterAnInterruption() {
        path.startUp();
        path.rounds(2);
        long window = bbr.maxBytesInFlight();
        path.interrupt();
        path.timeUs += 3_000_000;
        path.acknowledge(SEGMENT_BYTES);
        assertThat(bbr.maxBytesInFlight()).isEqualTo(MIN_WINDOW_BYTES + SEGMENT_BYTES);
        bbr.onInterruptionUndone();
        assertThat(bbr.maxBytesInFlight()).as("the window of before is not restored twice").isEqualTo(MIN_WINDOW_BYTES + SEGMENT_BYTES);
        path.rounds(3);
        assertThat(bbr.maxBytesInFlight()).isBetween(window, window + ACK_BYTES);
    }

    @Test
    void lossesOfAnInterruptionDoNotReduceTheBandwidth() {
        path.startUp();
        path.rounds(2);
        path.interrupt();
        path.lossShare = 0.5;
        path.acknowledge(SEGMENT_BYTES);
        path.lossShare = 0;
        path.rounds(5);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
    }

    @Test
    void longIdlePeriodRestartsAtHalfTheBandwidth() {
        path.startUp();
        path.rounds(2);
        path.flush(1, 1);
        path.flush(0, 0);
        path.timeUs += 10_000_001;
        path.flush(1, 1);
        assertThat(path.phase()).isEqualTo(Phase.STARTUP);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH / 2);
        assertThat(bbr.maxBytesInFlight()).isEqualTo(PRODUCT_BYTES / 2);
        assertThat(bbr.pacingBytesPerSecond()).isEqualTo((long) (2.77 * BANDWIDTH / 2));
        path.rounds(4);
        assertThat(path.phase()).as("startup ends again after three rounds without growth").isEqualTo(Phase.DRAIN);
    }

    @ParameterizedTest
    @CsvSource({"10_000_000, 0, 1", "10_000_001, 1, 1", "10_000_001, 0, 0"})
    void shortIdlePeriodsAndUnacknowledgedDataDoNotRestart(long idleUs, int inFlight, int sent) {
        path.startUp();
        path.rounds(2);
        path.flush(0, inFlight);
        path.timeUs += idleUs;
        path.flush(sent, 1);
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
        assertThat(bbr.bandwidth()).isEqualTo(BANDWIDTH);
    }

    // ---- limits

    @Test
    void slowPathsKeepAMinimumWindowAndRate() {
        path.bandwidth = 2_000;
        path.rounds(4);
        assertThat(path.phase()).isEqualTo(Phase.DRAIN);
        assertThat(bbr.pacingBytesPerSecond()).as("four segments in four round trips").isEqualTo(SEGMENT_BYTES * 10);
        path.rounds(5);
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
        assertThat(bbr.maxBytesInFlight()).isEqualTo(MIN_WINDOW_BYTES);
        assertThat(bbr.burstBytes()).isEqualTo(MIN_WINDOW_BYTES);
    }

    @Test
    void burstIsTheDataOfFourMilliseconds() {
        path.bandwidth = 100 * BANDWIDTH;
        path.rounds(4);
        path.rounds(4);
        assertThat(path.phase()).isEqualTo(Phase.CRUISE);
        assertThat(bbr.burstBytes()).isEqualTo(bbr.pacingBytesPerSecond() * 4 / 1_000);
    }
}
