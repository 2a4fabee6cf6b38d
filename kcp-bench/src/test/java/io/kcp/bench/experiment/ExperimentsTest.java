package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.results.ResultFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each experiment briefly, and checks only that it works, not how fast it is. */
@Timeout(120)
class ExperimentsTest {

    private static final String LOAD = "--seconds 2 --warmup 0.5 --round-trips 500 --idle-seconds 0.2 --settle 0.1 --idle-few 10 "
        + "--idle-many 20 --rounds 1 --peers none";
    private static final String OVERLOAD = "--peers none --no-pin --sessions 20 --work-us 500 --warmup 0.5 --saturation-seconds 0.5 "
        + "--settle 0.2 --quiet-seconds 0.5 --burst-seconds 0.5 --stop-seconds 0.5 --seconds 2";

    @TempDir
    Path directory;

    private ExperimentProgram program;

    @BeforeEach
    void createProgram() {
        program = new ExperimentProgram(directory);
    }

    /** Experiments with the metrics that each of their runs must have. */
    static Stream<Arguments> experiments() {
        return Stream.of(
            Arguments.of("side-by-side --scenarios ping-pong " + LOAD, List.of("median_us", "p99_us", "cpu_us_round_trip")),
            Arguments.of("side-by-side --scenarios packets-tcp " + LOAD, List.of("messages_s", "cpu_us_message", "p50_us", "p99_us")),
            Arguments.of("warm-up --scenarios small --seconds 2 --no-pin --peers none", List.of("ready_s", "steady_operations_s")),
            Arguments.of("warm-up --scenarios small --seconds 2 --no-pin --peers none --warm-clients", List.of("steady_operations_s")),
            Arguments.of("codecs --ciphers xor --no-fec --seconds 0.1 --warmup 0.03 --rounds 1 --peers none",
                List.of("seal_ns", "open_ns", "seal_allocated_bytes")));
    }

    @Test
    void shortExperiment() throws IOException {
        experiments("side-by-side --scenarios one-way " + LOAD, List.of("mb_s", "cpu_ms_mb", "garbage_bytes_datagram", "spurious"));
    }

    @ParameterizedTest
    @MethodSource
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux lists the threads of a process")
    void experiments(String command, List<String> metrics) throws IOException {
        ResultFile file = program.run(command);
        assertThat(file.command())
            .startsWith("java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Experiments " + command.split(" ")[0])
            .contains("--seed ");
        assertThat(file.options()).containsKeys("seed", "event-loops", "rounds");
        assertThat(file.runs()).isNotEmpty().allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.cell()).containsEntry("peer", "ours");
            assertThat(run.metrics()).containsKeys(metrics.toArray(String[]::new));
        });
    }

    @Test
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "overloads use signals")
    void overloadClosesNoSession() throws IOException {
        ResultFile file = program.run("overload " + OVERLOAD);
        assertThat(file.runs()).extracting(run -> run.cell().get("event")).containsExactlyInAnyOrder("burst", "stop");
        assertThat(file.runs()).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.metrics()).containsEntry("closed_sessions", 0.0).containsKey("quiet_p50_ms");
            assertThat(run.metrics().get("saturation_s")).isPositive();
            assertThat(run.metrics().get("unserved")).isPositive();
        });
    }

    @Test
    @Tag("slow")
    void idleSessionsAreOpened() throws IOException {
        ResultFile file = program.run("side-by-side --scenarios idle " + LOAD);
        assertThat(file.runs()).singleElement().satisfies(run ->
            assertThat(run.metrics()).containsEntry("sessions", 20.0).containsKeys("server_cpu_ms_s", "bytes_session"));
    }

    @Test
    @Tag("slow")
    void regressionComparesTwoBuilds() throws IOException {
        ResultFile file = program.run("regression --scenarios ping-pong --rounds 2 --floor 0.0001 --round-trips 100 --without-syscalls "
            + "--before " + jarOfThisClassPath());
        assertThat(file.runs()).extracting(run -> run.cell().get("peer")).containsExactlyInAnyOrder("ours", "before", "ours", "before");
        assertThat(program.output()).contains("reached: ping-pong, efficiency by user µs/operation", "beside: ping-pong, operations/s");
        assertThat(program.execute("regression", "--scenarios", "ping-pong", "--rounds", "2", "--floor", "1e9", "--round-trips", "100",
            "--without-syscalls", "--before", jarOfThisClassPath().toString())).isEqualTo(1);
        assertThat(program.output()).contains("NOT REACHED: ping-pong, efficiency by user µs/operation");
    }

    @Test
    void failedProcessIsReportedWithItsOutput() throws IOException {
        Path out = directory.resolve("failed.json");
        assertThat(program.execute("side-by-side", "--scenarios", "one-way", "--peers", "none", "--rounds", "2", "--jvm-option",
            "-XX:NoSuchOption", "--out", out.toString())).isEqualTo(1);
        assertThat(ResultFile.read(out).runs()).singleElement()
            .satisfies(run -> assertThat(run.failure()).contains("NoSuchOption"));
    }

    @Test
    void listNamesGroupsAndContenders() {
        assertThat(program.execute("side-by-side", "--list", "--peers", "none")).isZero();
        assertThat(program.output()).contains("echo: Echo, pipelined: ours\n");
        assertThat(program.execute("attack", "--list", "--peers", "none", "--no-pin")).isZero();
        assertThat(program.output()).contains("garbage: garbage {garbage=50000}: ours\n");
    }

    @Test
    void laterOptionsReplaceThoseOfScript() {
        assertThat(program.execute("side-by-side", "--list", "--scenarios", "echo", "--rounds", "3", "--rounds", "1", "--peers", "none"))
            .isZero();
    }

    @ParameterizedTest
    @MethodSource
    void mistakesAreRejected(String command, String message) {
        assertThat(program.execute(command.split(" "))).isEqualTo(2);
        assertThat(program.output()).contains(message);
    }

    static Stream<Arguments> mistakesAreRejected() {
        return Stream.of(Arguments.of("side-by-side --scenarios one-wey", "one-wey"),
            Arguments.of("side-by-side --scenarios one-way --peers kcp-go,java-Kcp", "java-Kcp"),
            Arguments.of("attack --attacks opener", "opener"), Arguments.of("overload --peers kcp-netty", "kcp-netty"),
            Arguments.of("warm-up --scenarios ping-pong --no-pin", "no steady throughput"),
            Arguments.of("regression --before HEAD --rounds 1", "at least 2"), Arguments.of("regression", "--before is missing"),
            Arguments.of("side-by-side --scenarios one-way --peers none --before no-such-commit", "git rev-parse"),
            Arguments.of("tunnel --settings none+fex", "none+fex"));
    }

    @ParameterizedTest
    @MethodSource
    void linkExperimentsSayWhyTheyCannotRun(String experiment) {
        assertThat(program.execute(experiment, "--interop", directory.toString())).isEqualTo(ExperimentCommand.SKIPPED);
        assertThat(program.output()).contains("skipped: ", "linkemu is missing");
    }

    static Stream<String> linkExperimentsSayWhyTheyCannotRun() {
        return Stream.of("lossy-link", "link-comparison");
    }

    /** Writes a jar whose manifest contains the class path of this test. */
    private Path jarOfThisClassPath() throws IOException {
        StringBuilder classPath = new StringBuilder();
        for (String element : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            classPath.append(Path.of(element).toUri()).append(' ');
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath.toString());
        Path jar = directory.resolve("before.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }
}
