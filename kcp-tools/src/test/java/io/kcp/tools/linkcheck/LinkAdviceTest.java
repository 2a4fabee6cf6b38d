package io.kcp.tools.linkcheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kcp.core.fec.FecShape;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkAdviceTest {

    /** A link with the given round trip, loss, rate and round trip under load. */
    static LinkMeasurement link(double rttMs, double loss, double run, double megabits, double loadedRttMs, int largestBytes) {
        return new LinkMeasurement(rttMs, rttMs, rttMs * 1.1, rttMs, rttMs * 2, loss, loss / 2, 800, run, 0, megabits, megabits,
            loadedRttMs, loadedRttMs * 1.2, loss, loss, 300, 512, 400_000, 1_024, largestBytes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0     | KcpConfig.fast3()",
        "0.001 | KcpConfig.fast3()",
        "0.01  | KcpConfig.fast3().toBuilder().redundancy(Redundancy.ADAPTIVE).build()",
        "0.05  | KcpConfig.fast3().toBuilder().redundancy(Redundancy.ON).build()"})
    void redundancyOfSmallMessagesFollowsFromTheLoss(double loss, String code) {
        assertThat(new LinkAdvice(link(50, loss, 1.05, 20, 55, 1_500)).smallMessages().code()).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({"0.05, 55, BBR", "0.001, 55, BBR", "0, 120, BBR", "0, 55, CUBIC"})
    void congestionControlFollowsFromLossAndQueue(double loss, double loadedRttMs, String algorithm) {
        assertThat(new LinkAdvice(link(50, loss, 1.05, 20, loadedRttMs, 1_500)).bulk().code())
            .contains("congestionControl(CongestionAlgorithm." + algorithm + ")");
    }

    /** The windows hold twice the bandwidth-delay product: 100 Mbit/s × 50 ms are 454 segments. */
    @ParameterizedTest
    @CsvSource({"100, 50, 1024", "1, 20, 128", "20, 50, 256", "100, 250, 8192", "10000, 300, 65536"})
    void windowsFollowFromRateAndRoundTrip(double megabits, double rttMs, int window) {
        LinkAdvice advice = new LinkAdvice(link(rttMs, 0, 0, megabits, rttMs, 1_500));
        assertThat(advice.windowSegments()).isEqualTo(Math.min(window, 32_768));
        assertThat(advice.bulk().code()).contains(".windows(" + Math.min(window, 32_768) + ")");
    }

    @Test
    void windowOfTheServerThatLimitsTheRateIsReported() {
        LinkMeasurement limited = new LinkMeasurement(100, 100, 101, 100, 101, 0, 0, 800, 0, 0, 3.4, 3.4, 100, 101, 0, 0, 60, 512,
            80_000, 32, 1_500);
        assertThat(new LinkAdvice(limited).bulk().reasons())
            .anyMatch(reason -> reason.contains("receive window of the server, 32 segments"));
        assertThat(new LinkAdvice(link(100, 0, 0, 3.4, 100, 1_500)).bulk().reasons())
            .noneMatch(reason -> reason.contains("receive window"));
    }

    @Test
    void lossUnderLoadLimitsTheLossOfTheFewMessagesWithoutLoad() {
        LinkMeasurement link = new LinkMeasurement(50, 50, 51, 50, 90, 0.03, 0.08, 100, 1.05, 0, 20, 20, 55, 60, 0.04, 0.01,
            300, 512, 400_000, 1_024, 1_500);
        assertThat(link.loss()).isEqualTo(0.03);
        link = new LinkMeasurement(50, 50, 51, 50, 90, 0.03, 0.02, 100, 1.05, 0, 20, 20, 55, 60, 0.2, 0.2, 300, 512,
            400_000, 1_024, 1_500);
        assertThat(link.loss()).as("the queue of the full link loses datagrams, too").isEqualTo(0.03);
    }

    @Test
    void pathWithASmallMtuGetsASmallerMtu() {
        LinkAdvice advice = new LinkAdvice(link(50, 0, 0, 20, 55, 1_280));
        assertThat(advice.bulk().code()).endsWith(".mtuBytes(1280).build()");
        assertThat(advice.smallMessages().code()).isEqualTo("KcpConfig.fast3().toBuilder().mtuBytes(1280).build()");
        assertThat(advice.bulk().reasons()).anyMatch(reason -> reason.contains("above 1280 bytes do not reach the server"));
    }

    @ParameterizedTest
    @CsvSource({"200, 0.01, 1, 10:1", "200, 0.05, 1.05, 10:3", "200, 0.1, 1.1, 10:4", "200, 0.02, 5, 10:8"})
    void parityFollowsFromLossAndBurstiness(double rttMs, double loss, double run, String shape) {
        LinkAdvice advice = new LinkAdvice(link(rttMs, loss, run, 20, rttMs, 1_500));
        assertThat(advice.fecShape()).isEqualTo(FecShape.parse(shape));
        assertThat(advice.fec().code()).isEqualTo("FecConfig.of(" + shape.replace(":", ", ") + ")");
    }

    @ParameterizedTest
    @CsvSource({"200, 0.005, 1, only 0.5 % of the datagrams are lost", "50, 0.05, 1, a retransmission takes only about 50 ms",
        "200, 0.2, 20, lost in runs of 20.0 datagrams"})
    void parityThatDoesNotHelpIsNotRecommended(double rttMs, double loss, double run, String reason) {
        LinkAdvice.Advice advice = new LinkAdvice(link(rttMs, loss, run, 20, rttMs, 1_500)).fec();
        assertThat(advice.code()).isEqualTo("none");
        assertThat(advice.reasons()).singleElement().asString().contains(reason);
    }

    @ParameterizedTest
    @CsvSource({"10, 3, 0.05, 1", "10, 2, 0.1, 3", "3, 1, 0.02, 5", "20, 10, 0.2, 2"})
    void probabilityOfUnrecoveredGroupsEqualsASimulation(int data, int parity, double loss, double run) {
        SplittableRandom random = new SplittableRandom(5);
        double end = Math.min(1 / run, 1 - loss);
        double start = loss * end / (1 - loss);
        boolean losing = false;
        int failed = 0;
        int groups = 400_000;
        for (int group = 0; group < groups; group++) {
            int lost = 0;
            for (int i = 0; i < data + parity; i++) {
                losing = losing ? random.nextDouble() >= end : random.nextDouble() < start;
                lost += losing ? 1 : 0;
            }
            failed += lost > parity ? 1 : 0;
        }
        assertThat(LinkAdvice.unrecovered(data, parity, loss, run)).isCloseTo((double) failed / groups, within(0.002));
    }
}
