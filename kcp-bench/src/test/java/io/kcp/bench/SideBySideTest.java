package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The comparison with ourselves alone, for a moment: that it works, not how fast. */
@Timeout(120)
class SideBySideTest {

    @TempDir
    Path directory;

    @Test
    void runsBothEndsAndWritesWhatCameOfIt() throws Exception {
        Path file = directory.resolve("sub").resolve("results.json");
        int exitCode = new CommandLine(new SideBySide()).execute("--scenarios", "one-way,ping-pong,idle", "--peers", "none",
            "--rounds", "1", "--seconds", "0.3", "--warmup", "0.2", "--round-trips", "100", "--idle-seconds", "0.2", "--settle", "0.1",
            "--idle-few", "10", "--idle-many", "20", "--out", file.toString());
        assertThat(exitCode).isZero();
        Map<String, Object> results = Json.parseObject(Files.readString(file));
        assertThat(results).containsKeys("cpu", "cores", "system", "jdk", "commit", "date").containsEntry("rounds", 1.0);
        assertThat((String) results.get("command")).startsWith("SideBySide --scenarios one-way,ping-pong,idle --peers none");
        List<?> scenarios = (List<?>) results.get("scenarios");
        assertThat(median(scenarios.get(0))).containsKeys("mb_s", "cpu_ms_mb", "garbage_bytes_datagram", "spurious");
        assertThat(median(scenarios.get(1))).containsKeys("median_us", "p99_us", "cpu_us_round_trip");
        assertThat(median(scenarios.get(2))).containsKeys("server_cpu_ms_s", "bytes_session").containsEntry("sessions", 20.0);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> median(Object scenario) {
        List<?> contenders = (List<?>) ((Map<?, ?>) scenario).get("contenders");
        assertThat(contenders).hasSize(1);
        return (Map<String, Object>) ((Map<?, ?>) contenders.get(0)).get("median");
    }

    @Test
    void anEndThatFailsIsAFailureOfItsContenderAlone() throws Exception {
        Path file = directory.resolve("results.json");
        int exitCode = new CommandLine(new SideBySide()).execute("--scenarios", "one-way", "--peers", "none", "--rounds", "2",
            "--jvm-option", "-XX:NoSuchOption", "--out", file.toString());
        assertThat(exitCode).isEqualTo(1);
        assertThat(Files.readString(file)).contains("NoSuchOption");
    }

    @Test
    void aScenarioThatThereIsNotIsRefused() {
        assertThat(new CommandLine(new SideBySide()).execute("--scenarios", "one-wey")).isEqualTo(2);
    }
}
