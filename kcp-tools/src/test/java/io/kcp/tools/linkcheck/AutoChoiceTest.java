package io.kcp.tools.linkcheck;

import static io.kcp.tools.linkcheck.LinkAdviceTest.link;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoChoiceTest {

    private static String text(LinkMeasurement link) {
        return String.join("\n", LinkCheckReport.advice(new AutoChoice(link).all()));
    }

    @Test
    void everyChoiceHasAValueAndAReason() {
        List<LinkAdvice.Advice> all = new AutoChoice(link(50, 0.03, 1.05, 20, 60, 1_500)).all();
        assertThat(all).extracting(LinkAdvice.Advice::use)
            .containsExactly("settings", "congestion control", "windows", "redundancy", "parity", "MTU");
        assertThat(all).allSatisfy(advice -> assertThat(advice.code()).isNotBlank());
        assertThat(all.subList(1, all.size())).allSatisfy(advice -> assertThat(advice.reasons()).isNotEmpty());
        assertThat(text(link(50, 0.03, 1.05, 20, 60, 1_500))).contains("BBR", "sends 20.0 Mbit/s", "3.0 % are lost without load",
            "from 50 to 60 ms", "300 segments to send, 512 to receive", "20.0 Mbit/s × 50 ms = 91 segments", "0.4 MiB",
            "budget of a session is 32 MiB");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0    | 1500 | KcpConfig.auto().toBuilder().redundancy(Redundancy.ADAPTIVE).build()",
        "0.05 | 1500 | KcpConfig.auto()",
        "0.05 | 1280 | KcpConfig.auto().toBuilder().mtuBytes(1280).build()"})
    void settingsAreThePresetAndTheChangesForTheLink(double loss, int largestBytes, String code) {
        assertThat(new AutoChoice(link(50, loss, 1.05, 20, 55, largestBytes)).all().get(0).code()).isEqualTo(code);
    }

    @Test
    void pathWithASmallMtuShowsTheReducedMtu() {
        assertThat(text(link(50, 0, 0, 20, 55, 1_280)))
            .contains("MTU                     " + KcpConfig.auto().mtuBytes() + " bytes, then " + KcpConfig.FALLBACK_MTU_BYTES)
            .contains("above 1280 bytes do not reach the server");
    }

    @Test
    void parityIsNamedWhereItHelps() {
        assertThat(text(link(200, 0.05, 1.05, 20, 220, 1_500))).contains("the FEC below recovers");
        assertThat(text(link(50, 0, 0, 20, 55, 1_500))).contains("parity does not help");
    }

    @Test
    void windowOfTheServerThatLimitsTheRateIsReported() {
        assertThat(text(link(300, 0, 0, 40, 310, 1_500))).contains("receive window of the server, 1024 segments, limited the rate");
    }

    @Test
    void pictureShowsTheChoices() {
        String svg = new LinkChart("Link", new AutoChoice(link(50, 0.05, 1.05, 20, 55, 1_500)).summary(), List.of()).svg();
        assertThat(svg).contains("KcpConfig.auto(): BBR at 20.0 Mbit/s, windows of 300 and 512 segments, redundancy ON");
    }
}
