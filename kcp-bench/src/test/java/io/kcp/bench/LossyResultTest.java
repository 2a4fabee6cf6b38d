package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LossyResultTest {

    @Test
    void takesTheMedianFigureByFigure() {
        LossyResult median = LossyResult.median(List.of(result(25, 90), result(27, 80), result(26, 300)));
        assertThat(median.p50Ms()).isEqualTo(26);
        assertThat(median.p99Ms()).isEqualTo(90);
    }

    @Test
    void leavesFiguresOutThatAKindDoesNotHave() {
        LossyResult median = LossyResult.median(List.of(result(25, 90), result(27, 80)));
        assertThat(median.addTo(JsonLine.event("lossy")).toString()).contains("\"p50_ms\":26.000", "\"mb_s\":null");
    }

    @Test
    void namesEveryPeerOnce() {
        assertThat(LossyPeer.all(Path.of("kcp-go"), Path.of("plain"))).extracting(LossyPeer::label)
            .contains("tcp", "tcp-bbr", "quic", "kcp-go", "kcp-go+10:3", "ours", "ours+10:3", "ours+2:1").doesNotHaveDuplicates();
    }

    @Test
    void findsTheKindByItsName() {
        assertThat(LossyKind.parse("delay-500")).isEqualTo(LossyKind.DELAY_500);
        assertThat(LossyKind.GOODPUT.isDelay()).isFalse();
    }

    private static LossyResult result(double p50Ms, double p99Ms) {
        return new LossyResult(p50Ms, 60, p99Ms, Double.NaN, 0.3, 0, 1);
    }
}
