package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LinkComparisonTest {

    @Test
    void goodputIsComparedWithTheBestOfTheSameLink() {
        String table = LinkComparisonTable.goodput(List.of(row("ours-bbr", "", 0, List.of(result(10, 5))),
            row("tcp-cubic", "", 0, List.of(result(12.5, 40))),
            row("kcp-go-nc0", "", 0, List.of(result(0.5, 1))), row("ours-bbr", "", 5, List.of(result(9, 3)))));
        assertThat(table.lines()).hasSize(6).contains(
            "| 0 | 1 | ours-bbr | 10.00 | 80 | 2.5, 5.0 | 2 (1) | 0.25 | 50, 40, 30 |",
            "| 0 | 1 | tcp-cubic | 12.50 | 100 | 20.0, 40.0 | 3 (2) | 0.25 | 50, 40, 30 |",
            "| 0 | 1 | kcp-go-nc0 | 0.50 | 4 | 0.5, 1.0 | 1 | 0.25 | 50, 40, 30 |",
            "| 5 | 1 | ours-bbr | 9.00 | 100 | 1.5, 3.0 | 1 (1) | 0.25 | 50, 40, 30 |");
    }

    @Test
    void repeatedRunsShowMedianAndRange() {
        String table = LinkComparisonTable.goodput(List.of(row("quic", "", 0.5, List.of(result(1, 5), result(3, 5), result(2, 8)))));
        assertThat(table).contains("| 0.5 | 1 | quic | 2.00 (1.00–3.00) | 100 | 2.5, 5.0 |");
    }

    @Test
    void sharingShowsTheShareOfTheFirstFlow() {
        LinkComparisonResult shared = new LinkComparisonResult(List.of(4.0, 6.0), result(0, 30).values());
        assertThat(LinkComparisonTable.sharing(List.of(row("ours-bbr", "tcp-cubic", 0, List.of(shared)))))
            .contains("| tcp-cubic | 1 | 0 | ours-bbr | 40 | 10.00 | 15.0, 30.0 | 0.25 | 50, 40, 30 |");
    }

    @Test
    void missingValueIsNotANumberInTheTable() {
        LinkComparisonResult idle = new LinkComparisonResult(List.of(0.0), Map.of());
        assertThat(LinkComparisonTable.goodput(List.of(row("quic", "", 0, List.of(idle))))).contains("| –, – |").doesNotContain("NaN, NaN");
        assertThat(idle.addTo(Json.event("run")).path(LinkComparisonResult.QUEUE_P95).isNull()).isTrue();
    }

    @Test
    void commandLinesSelectTheCongestionControl() {
        assertThat(command("ours-bbr")).containsSubsequence("--congestion-control", "BBR", "--window", "16384", "--work", "source");
        assertThat(command("ours-auto")).contains("--auto");
        assertThat(command("tcp-cubic")).containsSubsequence("--protocol", "tcp", "--congestion", "cubic");
        assertThat(command("tcp-bbr")).containsSubsequence("--congestion", "bbr");
        assertThat(command("quic")).containsSubsequence("--protocol", "quic");
        assertThat(command("kcp-go-nc0")).containsSubsequence("load", "client", "--nc", "0");
        assertThat(command("kcp-go-nc1")).containsSubsequence("load", "client", "--nc", "1");
    }

    @Test
    void loadProgramUsesTheSelectedSettings() {
        assertThat(config().congestionControl()).isEqualTo(CongestionAlgorithm.NONE);
        assertThat(config("--nc", "0").congestionControl()).isEqualTo(CongestionAlgorithm.KCP_GO);
        assertThat(config("--congestion-control", "BBR").congestionControl()).isEqualTo(CongestionAlgorithm.BBR);
        assertThat(config("--auto")).hasToString(KcpConfig.auto().toBuilder().mode(config().mode()).build().toString());
    }

    private static KcpConfig config(String... arguments) {
        LoadOptions options = new LoadOptions();
        new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return options.config();
    }

    private static List<String> command(String name) {
        return LossyPeer.congestionControls(Path.of("programs")).stream().filter(peer -> peer.name().equals(name)).findFirst()
            .orElseThrow().command("client", false, List.of());
    }

    private static LinkComparisonTable.Row row(String peer, String rival, double lossPercent, List<LinkComparisonResult> runs) {
        return new LinkComparisonTable.Row(peer, rival, lossPercent, 1, runs);
    }

    private static LinkComparisonResult result(double goodput, double queueP95Ms) {
        return new LinkComparisonResult(List.of(goodput), Map.of(LinkComparisonResult.QUEUE_P50, queueP95Ms / 2,
            LinkComparisonResult.QUEUE_P95, queueP95Ms, LinkComparisonResult.DROPPED, 0.25, LinkComparisonResult.SENDER_CPU, 50.0,
            LinkComparisonResult.RECEIVER_CPU, 40.0, LinkComparisonResult.LINK_CPU, 30.0));
    }
}
