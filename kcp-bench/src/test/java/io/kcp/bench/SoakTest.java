package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.SoakSamples.Sample;
import io.kcp.netty.KcpCloseReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class SoakTest {

    private static final int MB = 1_000_000;

    @TempDir
    Path directory;

    private record Run(int exitCode, List<String> lines) {
    }

    /** Runs the program in its own process, because it reports each lost buffer of the process, also those of other tests. */
    private Run run(String... options) throws Exception {
        Path output = directory.resolve("soak.txt");
        List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-cp", System.getProperty("java.class.path"),
            Soak.class.getName(), "--max-timeouts", "100"));
        command.addAll(List.of(options));
        try (OwnedProcess soak = new OwnedProcess(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
            .start())) {
            int exitCode = soak.process().waitFor();
            return new Run(exitCode, Files.readAllLines(output));
        }
    }

    /**
     * The growth of the heap is not judged with two samples, because the new process still loads classes. How many sessions a timeout ends
     * depends on the load of the machine. However, some sessions must end in each of the ways, and none with a failure.
     */
    @Test
    @Tag("slow")
    void sessionsEndInAllWaysAndLeaveNothing() throws Exception {
        Run run = run("--seconds", "2", "--warmup", "2", "--round", "2");
        assertThat(run.exitCode).as("%s", run.lines).isZero();
        assertThat(run.lines).contains("Nothing leaked.").anyMatch(line -> line.startsWith("200 sessions"));
        assertThat(run.lines).extracting(line -> line.split(" ")[0])
            .containsAll(Stream.of(SoakEnding.values()).map(SoakEnding::name).toList());
    }

    @Test
    @Tag("slow")
    void plantedLeaksAreReported() throws Exception {
        Run run = run("--seconds", "3", "--warmup", "1", "--round", "1", "--idle-timeout-ms", "1000", "--lose-every", "20", "--keep-every",
            "1");
        assertThat(run.exitCode).as("%s", run.lines).isEqualTo(1);
        assertThat(run.lines).anyMatch(line -> line.startsWith("FAILED: leaked"))
            .anyMatch(line -> line.startsWith("FAILED: the heap grows")).doesNotContain("Nothing leaked.");
    }

    @Test
    void wrongEndsAndMissingEndsAreCounted() {
        SoakOutcomes outcomes = new SoakOutcomes();
        for (int i = 0; i < 4; i++) {
            outcomes.opened();
        }
        outcomes.ended(SoakEnding.CLIENT_CLOSES, null, null);
        outcomes.ended(SoakEnding.ABORT, KcpCloseReason.PEER_TIMEOUT, null);
        outcomes.ended(SoakEnding.ABORT, KcpCloseReason.PROTOCOL_ERROR, null);
        outcomes.ended(SoakEnding.REBIND, null, new IllegalStateException("another content"));
        assertThat(outcomes.open()).isZero();
        assertThat(outcomes.timeouts()).isOne();
        assertThat(outcomes.wrong()).isEqualTo(2);
        assertThat(outcomes.firstWrong()).isEqualTo("ABORT: PROTOCOL_ERROR");
        assertThat(outcomes.missing()).containsExactly(SoakEnding.ABORT, SoakEnding.REBIND);
    }

    @Test
    void constantMemoryIsAccepted() {
        SoakSamples samples = new SoakSamples(new Sample(0, 20 * MB, 4 * MB, 10, 50));
        for (int i = 1; i < 10; i++) {
            samples.add(new Sample(1_000L * i, 20 * MB + i % 3 * 50_000L, 4 * MB, 10, 50));
        }
        assertThat(samples.failures()).isEmpty();
    }

    @Test
    void aFewBytesPerSessionAreALeak() {
        SoakSamples samples = new SoakSamples(new Sample(0, 20 * MB, 4 * MB, 10, 50));
        for (int i = 1; i < 10; i++) {
            samples.add(new Sample(1_000L * i, 20 * MB + 40_000L * i + i % 3 * 10_000L, 4 * MB, 10, 50));
        }
        assertThat(samples.failures()).singleElement().asString().contains("bytes per session");
        assertThat(samples.heapBytesPerSession()).isBetween(39.0, 41.0);
    }

    @Test
    void heapIsNotJudgedWithTwoSamples() {
        SoakSamples samples = new SoakSamples(new Sample(0, 20 * MB, 4 * MB, 10, 50));
        samples.add(new Sample(1_000, 40 * MB, 4 * MB, 10, 50));
        assertThat(samples.failures()).isEmpty();
        samples.add(new Sample(2_000, 60 * MB, 4 * MB, 10, 50));
        assertThat(samples.failures()).singleElement().asString().startsWith("the heap grows by +20000");
    }

    /** Classes that are loaded late, and caches that are filled once, look like a leak at first. */
    @Test
    void growthThatDoesNotContinueIsNotALeak() {
        SoakSamples samples = new SoakSamples(new Sample(0, 20 * MB, 4 * MB, 10, 50));
        for (int i = 1; i < 4; i++) {
            samples.add(new Sample(1_000L * i, 20 * MB + 18_000L * i, 4 * MB, 10, 50));
        }
        assertThat(samples.heapGrows()).isTrue();
        SoakSamples continued = samples.continued();
        SoakSamples leak = samples.continued();
        for (int i = 4; i < 8; i++) {
            continued.add(new Sample(1_000L * i, 20 * MB + 54_500L + i % 2 * 1_500L, 4 * MB, 10, 50));
            leak.add(new Sample(1_000L * i, 20 * MB + 60_000L * i, 4 * MB, 10, 50));
        }
        assertThat(continued.failures()).isEmpty();
        assertThat(leak.failures()).singleElement().asString().contains("bytes per session");
    }

    @Test
    void growthOfBuffersThreadsAndFilesIsReported() {
        SoakSamples samples = new SoakSamples(new Sample(0, 20 * MB, 4 * MB, 10, 50));
        samples.add(new Sample(1_000, 20 * MB, 40 * MB, 11, 51));
        assertThat(samples.failures()).hasSize(3);
    }
}
