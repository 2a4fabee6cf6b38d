package io.kcp.examples.arena.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class ArenaBotsTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command =
        new CommandLine(new ArenaBots()).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));

    @Test
    @Tag("slow")
    void exitCodeIsZeroAndReportIsWritten(@TempDir Path folder) throws Exception {
        Path report = folder.resolve("report.json");
        try (RunningArena arena = new RunningArena()) {
            int exitCode = command.execute("--servers", "127.0.0.1:" + arena.players().getPort(), "--bots", "20", "--room-size", "10",
                "--seconds", "2", "--warm-up", "1", "--say-rate", "40", "--dead-peer-timeout", "8000", "--answer-timeout", "4000",
                "--report", report.toString());
            assertThat(exitCode).as("%s%s", out, err).isZero();
        }
        assertThat(out.toString()).contains("20 bots are in", "no problems");
        JsonNode statistics = JsonMapper.builder().build().readTree(Files.readString(report));
        assertThat(statistics.get("in").asInt()).isEqualTo(20);
        assertThat(statistics.get("heard").asLong()).isEqualTo(10 * statistics.get("acknowledged").asLong()).isPositive();
        assertThat(statistics.get("missing").asInt()).isZero();
        assertThat(statistics.get("rttMs").get("p99").asDouble()).isPositive();
        assertThat(statistics.get("good").asBoolean()).isTrue();
    }

    @Test
    void missingServerIsAProblem() {
        int exitCode = command.execute("--servers", "127.0.0.1:9", "--bots", "1", "--join-rate", "1000", "--seconds", "0",
            "--answer-timeout", "100", "--timeout", "1");
        assertThat(exitCode).isEqualTo(1);
        assertThat(out.toString()).contains("0 bots are in", "PROBLEMS: 1 bots are in no room");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--servers=nonsense", "--bots=0", "--loss=101", "--fec=x", "--crypt=none-such", "--room-size=-1"})
    void wrongOptionIsNamed(String argument) {
        assertThat(command.execute(argument)).isEqualTo(2);
        assertThat(err.toString()).isNotEmpty();
    }
}
