package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the peer of this library briefly, and checks only that it works, not how fast it is. */
@Timeout(120)
class SideBySideTest {

    @TempDir
    Path directory;

    @Test
    void resultsFileContainsMachineAndMetrics() throws Exception {
        Path file = directory.resolve("sub").resolve("results.json");
        int exitCode = new CommandLine(new SideBySide()).execute("--scenarios", "one-way,ping-pong,idle,packets-tcp",
            "--peers", "none", "--rounds", "1", "--seconds", "0.3", "--warmup", "0.2", "--round-trips", "2000",
            "--idle-seconds", "0.2", "--settle", "0.1",
            "--idle-few", "10", "--idle-many", "20", "--out", file.toString());
        assertThat(exitCode).isZero();
        ResultsFile results = ResultsFile.read(file);
        assertThat(results.cores()).isPositive();
        assertThat(results.rounds()).isEqualTo(1);
        assertThat(results.command()).startsWith("SideBySide --scenarios one-way,ping-pong,idle,packets-tcp --peers none");
        assertThat(results.scenarios()).extracting(ResultsFile.Measured::name)
            .containsExactly("one-way", "ping-pong", "idle", "packets-tcp");
        assertThat(median(results, 0)).containsKeys(Metric.MB_S, Metric.CPU_MS_MB, Metric.GARBAGE_BYTES_DATAGRAM, Metric.SPURIOUS);
        assertThat(median(results, 1)).containsKeys(Metric.MEDIAN_US, Metric.P99_US, Metric.CPU_US_ROUND_TRIP);
        assertThat(median(results, 3)).containsKeys(Metric.MESSAGES_S, Metric.CPU_US_MESSAGE, Metric.P50_US, Metric.P99_US);
        assertThat(median(results, 2)).containsKeys(Metric.SERVER_CPU_MS_S, Metric.BYTES_SESSION).containsEntry(Metric.SESSIONS, 20.0);
    }

    private static Map<Metric, Double> median(ResultsFile results, int scenario) {
        return results.scenarios().get(scenario).contenders().get(0).median();
    }

    @Test
    void pinnedScenarioRunsOrReportsWhyItCannot() throws Exception {
        Path file = directory.resolve("results.json");
        int exitCode = new CommandLine(new SideBySide()).execute("--scenarios", "pinned-ping-pong", "--peers", "none", "--rounds", "1",
            "--round-trips", "500", "--out", file.toString());
        assertThat(exitCode).isZero();
        if (Pinning.find().problem() == null) {
            assertThat(ResultsFile.read(file).scenarios().get(0).contenders()).extracting(ResultsFile.Runs::name)
                .containsExactly("ours", "ours, blocking");
        } else {
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void failedProcessIsReportedWithItsOutput() throws Exception {
        Path file = directory.resolve("results.json");
        int exitCode = new CommandLine(new SideBySide()).execute("--scenarios", "one-way", "--peers", "none", "--rounds", "2",
            "--jvm-option", "-XX:NoSuchOption", "--out", file.toString());
        assertThat(exitCode).isEqualTo(1);
        assertThat(Files.readString(file)).contains("NoSuchOption");
    }

    @Test
    void unknownScenarioIsRejected() {
        assertThat(new CommandLine(new SideBySide()).execute("--scenarios", "one-wey")).isEqualTo(2);
    }

    @Test
    void unknownPeerIsRejected() {
        assertThat(new CommandLine(new SideBySide()).execute("--scenarios", "one-way", "--peers", "kcp-go,java-Kcp")).isEqualTo(2);
    }
}
