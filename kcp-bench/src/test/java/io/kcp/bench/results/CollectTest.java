package io.kcp.bench.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CollectTest {

    @TempDir
    private Path directory;

    @Test
    void namesOfRunsBecomeCellsAndRounds() throws Exception {
        Path in = Files.write(directory.resolve("runs"), List.of("bulk Cell[loss=0.05], auto, 60, seed 3\t0.9\tNaN\t58656.0",
            "bulk Cell[loss=0.05], fast3 BBR 128, 60, seed 1\t0.8\tInfinity", "bulk Cell[loss=0.05], fast3 BBR 128, 10, seed 1\t0.7\t1"));
        Path out = directory.resolve("auto-settings.json");
        int exitCode = new CommandLine(new Collect()).execute("--in", in.toString(), "--out", out.toString(), "--metrics",
            "goodput,p99_ms", "--command", "measure.sh auto-settings", "--name",
            "bulk Cell\\[loss=(?<loss>[0-9.]+)\\], (?:(?<auto>auto)|(?<settings>.+)), 60, seed (?<seed>\\d+)");
        assertThat(exitCode).isZero();
        ResultFile file = ResultFile.read(out);
        assertThat(file.experiment()).isEqualTo("auto-settings");
        assertThat(file.command()).isEqualTo("measure.sh auto-settings");
        assertThat(file.runs()).containsExactly(
            new ResultFile.Run(Map.of("loss", "0.05", "auto", "auto"), 3, 1, null, Map.of("goodput", 0.9), null),
            new ResultFile.Run(Map.of("loss", "0.05", "settings", "fast3 BBR 128"), 1, 2, null, Map.of("goodput", 0.8), null));
    }
}
