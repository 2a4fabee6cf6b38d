package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Overloads a server briefly, and checks only what does not depend on the speed of the machine. */
@Timeout(180)
@EnabledOnOs(value = OS.LINUX, disabledReason = "the program stops the server with a signal")
class OverloadTest {

    @TempDir
    Path directory;

    @Test
    void unknownServerIsRejected() {
        assertThat(Overload.newCommandLine(new Overload()).execute("--servers", "kcp-netty")).isEqualTo(2);
    }

    @Test
    void serverSurvivesABurstAndAStop() throws Exception {
        Path file = directory.resolve("overload.json");
        Overload overload = new Overload();
        int exitCode = Overload.newCommandLine(overload).execute("--servers", "ours", "--no-pin", "--sessions", "20", "--work-us", "500",
            "--warmup", "0.5", "--saturation-seconds", "0.5", "--settle", "0.2", "--quiet-seconds", "0.5", "--burst-seconds", "0.5",
            "--stop-seconds", "0.5", "--recovery-seconds", "2", "--out", file.toString(), "--pictures", directory.toString());
        assertThat(exitCode).isZero();
        assertThat(overload.results()).extracting(OverloadResult::event).containsExactly(OverloadEvent.BURST, OverloadEvent.STOP);
        assertThat(overload.results()).allSatisfy(result -> {
            assertThat(result.failure()).isNull();
            assertThat(result.lostSessions()).isZero();
            assertThat(result.saturation()).isGreaterThan(result.rate()).isPositive();
            assertThat(result.unserved()).isPositive();
            assertThat(result.p50()).isNotEmpty();
        });
        assertThat(overload.results().get(0).burstGoodput()).isPositive();
        assertThat(Json.MAPPER.readTree(file.toFile()).path("results").size()).isEqualTo(2);
        assertThat(Files.readString(directory.resolve("overload-stop.svg"))).contains("<polyline", "a stop of the server");
    }

    @Test
    void recoveryMayTakeAsLongAsTheBacklog() {
        OverloadResult result = result(1.1, 0.05, 9_500);
        assertThat(result.maxRecoverySeconds()).isEqualTo(1.2 * 2_000 / 4_000 + 1);
        assertThat(result.missed()).isEmpty();
        assertThat(result(1.7, 0.05, 9_500).missed()).extracting(Criterion::name).containsExactly("recovery in s");
        assertThat(result(Double.POSITIVE_INFINITY, 0.2, 8_000).missed()).extracting(Criterion::name)
            .containsExactly("recovery in s", "retransmitted share", "goodput during the burst, share of saturation");
        assertThat(result(1.7, 0.2, Double.NaN).row()).contains("NOT REACHED");
    }

    private static OverloadResult result(double recoverySeconds, double retransmitted, double goodput) {
        return new OverloadResult("ours", OverloadEvent.BURST, 10_000, 6_000, 1, 500, recoverySeconds, 2_000, retransmitted, goodput, 0, 0,
            0, 0, Double.NaN, List.of(), null);
    }
}
