package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.results.ResultFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    private static final String ATTACK = "--peers none --no-pin --same-priority --sessions 10 --rate 5 --newcomers 5 --sources 50 "
        + "--rate-factor 0.05 --max-sessions 300 --rehearsal-seconds 0 --warmup 0.2 --quiet-seconds 0.5 --seconds 1 --recovery-seconds 0.5";
    private static final String OVERLOAD = "--peers none --no-pin --sessions 20 --work-us 500 --warmup 0.5 --saturation-seconds 0.5 "
        + "--settle 0.2 --quiet-seconds 0.5 --burst-seconds 0.5 --stop-seconds 0.5 --seconds 2";

    @TempDir
    Path directory;

    private String output = "";

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
    @EnabledOnOs(value = OS.LINUX, disabledReason = "attacks use all addresses of 127.0.0.0/8, and overloads use signals")
    void experiments(String command, List<String> metrics) throws IOException {
        ResultFile file = run(command);
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

    @ParameterizedTest
    @MethodSource
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux lets a socket use any address of 127.0.0.0/8")
    void attacksLoseNothing(String attack, @Nullable Double maxReflection) throws IOException {
        ResultFile file = run("attack --attacks " + attack + ' ' + ATTACK);
        Map<String, Double> metrics = file.runs().get(0).metrics();
        assertThat(metrics).containsEntry("lost", 0.0).containsEntry("closed_sessions", 0.0);
        assertThat(metrics.get("attack_datagrams_s")).isPositive();
        assertThat(metrics.get("peak_sessions")).isLessThanOrEqualTo(300);
        if (maxReflection == null) {
            assertThat(metrics).doesNotContainKey("worst_reflection");
        } else {
            assertThat(metrics.get("worst_reflection")).isLessThanOrEqualTo(maxReflection);
        }
    }

    @Test
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux lets a socket use any address of 127.0.0.0/8")
    void floodOfFirstDatagramsOpensSessionsUpToTheLimit() throws IOException {
        Map<String, Double> metrics = run("attack --attacks openers " + ATTACK).runs().get(0).metrics();
        assertThat(metrics).containsEntry("lost", 0.0).containsKeys("p99_ms", "worst_reflection");
        assertThat(metrics.get("attack_datagrams_s")).isPositive();
        assertThat(metrics.get("peak_sessions")).isBetween(11.0, 300.0);
    }

    @Test
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "overloads use signals")
    void overloadClosesNoSession() throws IOException {
        ResultFile file = run("overload " + OVERLOAD);
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
        ResultFile file = run("side-by-side --scenarios idle " + LOAD);
        assertThat(file.runs()).singleElement().satisfies(run ->
            assertThat(run.metrics()).containsEntry("sessions", 20.0).containsKeys("server_cpu_ms_s", "bytes_session"));
    }

    /** Attacks with the largest share of reflected bytes, or null if the attacker does not use the address of a victim. */
    static Stream<Arguments> attacksLoseNothing() {
        return Stream.of(Arguments.of("openers-twice", 3.0), Arguments.of("openers-16", 3.0), Arguments.of("greeting-twice", 3.0),
            Arguments.of("replays", 0.0), Arguments.of("other-conv", null), Arguments.of("slow-readers", null),
            Arguments.of("segments", null));
    }

    @Test
    @Tag("slow")
    void regressionComparesTwoBuilds() throws IOException {
        ResultFile file = run("regression --scenarios ping-pong --rounds 2 --floor 0.0001 --round-trips 100 --without-syscalls --before "
            + jarOfThisClassPath());
        assertThat(file.runs()).extracting(run -> run.cell().get("peer")).containsExactlyInAnyOrder("ours", "before", "ours", "before");
        assertThat(output).contains("reached: ping-pong, efficiency by user µs/operation", "beside: ping-pong, operations/s");
        assertThat(execute("regression", "--scenarios", "ping-pong", "--rounds", "2", "--floor", "1e9", "--round-trips", "100",
            "--without-syscalls", "--before", jarOfThisClassPath().toString())).isEqualTo(1);
        assertThat(output).contains("NOT REACHED: ping-pong, efficiency by user µs/operation");
    }

    @Test
    void failedProcessIsReportedWithItsOutput() throws IOException {
        Path out = directory.resolve("failed.json");
        assertThat(execute("side-by-side", "--scenarios", "one-way", "--peers", "none", "--rounds", "2", "--jvm-option",
            "-XX:NoSuchOption", "--out", out.toString())).isEqualTo(1);
        assertThat(ResultFile.read(out).runs()).singleElement()
            .satisfies(run -> assertThat(run.failure()).contains("NoSuchOption"));
    }

    @Test
    void listNamesGroupsAndContenders() {
        assertThat(execute("side-by-side", "--list", "--peers", "none")).isZero();
        assertThat(output).contains("echo: Echo, pipelined: ours\n");
        assertThat(execute("attack", "--list", "--peers", "none", "--no-pin")).isZero();
        assertThat(output).contains("garbage: garbage {garbage=50000}: ours\n");
    }

    @ParameterizedTest
    @MethodSource
    void mistakesAreRejected(String command, String message) {
        assertThat(execute(command.split(" "))).isEqualTo(2);
        assertThat(output).contains(message);
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
        assertThat(execute(experiment, "--interop", directory.toString())).isEqualTo(ExperimentCommand.SKIPPED);
        assertThat(output).contains("skipped: ", "linkemu is missing");
    }

    static Stream<String> linkExperimentsSayWhyTheyCannotRun() {
        return Stream.of("lossy-link", "link-comparison");
    }

    private ResultFile run(String command) throws IOException {
        Path out = directory.resolve("sub").resolve("results.json");
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ")));
        arguments.addAll(List.of("--out", out.toString()));
        assertThat(execute(arguments.toArray(String[]::new))).as(() -> output).isZero();
        return ResultFile.read(out);
    }

    private int execute(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        PrintStream capture = new PrintStream(captured, true, StandardCharsets.UTF_8);
        System.setOut(capture);
        System.setErr(capture);
        try {
            return ExperimentCommands.newCommandLine().execute(arguments);
        } finally {
            System.setOut(out);
            System.setErr(err);
            output = captured.toString(StandardCharsets.UTF_8);
        }
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
