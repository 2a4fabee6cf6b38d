package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** Values that a system does not provide. Systems without {@code /proc}, for example, report neither CPU times nor the time of the host. */
class UnknownValuesTest {

    private static final double UNKNOWN = Double.NaN;

    @Test
    void rowsContainADashAndTheFileContainsNull(@TempDir Path directory) throws IOException {
        WarmUp.Result result = new WarmUp.Result("small", "ours", 1.5, 2, UNKNOWN, UNKNOWN, UNKNOWN, 1_000, UNKNOWN);
        assertThat(result.row()).contains(" - ").doesNotContain("NaN");
        OverloadResult failed = OverloadResult.failed("ours", OverloadEvent.BURST, "no \"ready\"");
        assertThat(failed.row()).doesNotContain("NaN");
        Path file = directory.resolve("rows.json");
        CommandLine command = new CommandLine(new WarmUp());
        command.parseArgs();
        new RowsFile(file, command, "results", 1, 1).write(List.of(result, failed));
        JsonNode rows = Json.MAPPER.readTree(file.toFile()).path("results");
        assertThat(rows.path(0).path("host_cpu_percent").isNull()).isTrue();
        assertThat(rows.path(0).path("steady_per_second").doubleValue()).isEqualTo(1_000);
        assertThat(rows.path(1).path("saturation").isNull()).isTrue();
        assertThat(rows.path(1).path("lost_sessions").intValue()).isZero();
    }

    @Test
    void resultsFileContainsNullForAMetric() {
        assertThat(Json.MAPPER.writeValueAsString(Map.of(Metric.USER_US_MESSAGE, UNKNOWN))).isEqualTo("{\"user_us_message\":null}");
        assertThat(ResultText.line(List.of(Metric.USER_US_MESSAGE), Map.of(Metric.USER_US_MESSAGE, UNKNOWN)))
            .isEqualTo("- user µs/message");
    }
}
