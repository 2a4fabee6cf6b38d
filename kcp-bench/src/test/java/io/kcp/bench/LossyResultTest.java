package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LossyResultTest {

    @Test
    void medianIsTakenOfEachValue() {
        LossyResult median = LossyResult.median(List.of(result(25, 90), result(27, 80), result(26, 300)));
        assertThat(median.value("p50_ms")).isEqualTo(26);
        assertThat(median.value("p99_ms")).isEqualTo(90);
    }

    @Test
    void missingValuesBecomeNull() {
        LossyResult median = LossyResult.median(List.of(result(25, 90), result(27, 80)));
        assertThat(median.addTo(Json.event("lossy")).toString()).contains("\"p50_ms\":26.0", "\"mb_s\":null");
    }

    @Test
    void failedRunCountsAsSlowest() {
        LossyResult median = LossyResult.median(List.of(LossyResult.FAILED, result(25, 90), result(27, 80)));
        assertThat(median.value("p50_ms")).isEqualTo(27);
        LossyResult oneOfTwo = LossyResult.median(List.of(LossyResult.FAILED, result(25, 90)));
        assertThat(oneOfTwo.addTo(Json.event("lossy")).path("p50_ms").isNull()).isTrue();
        assertThat(LossyResult.FAILED.stalledMsPerSecond()).isInfinite();
    }

    @Test
    void peerLabelsAreUnique() {
        assertThat(LossyPeer.all(Path.of("programs"))).extracting(LossyPeer::label)
            .contains("tcp", "tcp-bbr", "quic", "kcp-go", "kcp-go+10:3", "ours", "ours+10:3", "ours+2:1").doesNotHaveDuplicates();
    }

    @Test
    void commandLineSelectsMeasurement() {
        Map<String, LossyPeer> peers = Map.of(
            "ours", peer("ours+10:3"), "kcp-go", peer("kcp-go+10:3"), "tcp", peer("tcp"));
        assertThat(peers.get("ours").command("server", true, List.of("--listen", "0"))).containsSubsequence("io.kcp.bench.KcpLoad",
            "server", "--listen", "0", "--fec", "10:3", "--work", "delay", "--mode", "MESSAGE", "--write-bytes", "200");
        assertThat(peers.get("ours").command("client", false, List.of())).containsSubsequence("client", "--work", "source")
            .doesNotContain("--mode");
        assertThat(peers.get("kcp-go").command("client", true, List.of("--rate", "50")))
            .endsWith("delay", "client", "--rate", "50", "--datashard", "10", "--parityshard", "3");
        assertThat(peers.get("kcp-go").command("server", false, List.of())).containsSubsequence("load", "server", "--work", "sink");
        assertThat(peers.get("tcp").command("server", true, List.of())).containsSubsequence("-jar", "server", "--protocol", "tcp",
            "--congestion", "cubic", "--work", "delay");
    }

    private static LossyPeer peer(String label) {
        return LossyPeer.all(Path.of("programs")).stream().filter(peer -> peer.label().equals(label)).findFirst()
            .orElseThrow();
    }

    @Test
    void kindsAreParsedByTheirNames() {
        LossyLink link = new LossyLink();
        new CommandLine(link).parseArgs("--kinds", "delay-500,goodput");
        assertThat(link.kinds).containsExactly(LossyKind.DELAY_500, LossyKind.GOODPUT);
        assertThat(link.kinds).extracting(LossyKind::isDelay).containsExactly(true, false);
        new CommandLine(link).parseArgs();
        assertThat(link.kinds).containsExactly(LossyKind.values());
    }

    private static LossyResult result(double p50Ms, double p99Ms) {
        return new LossyResult(
            Map.of("p50_ms", p50Ms, "p90_ms", 60.0, "p99_ms", p99Ms, "wire_mb_s", 0.3, "missing", 0.0, "stalled_ms_s", 1.0));
    }
}
