package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.SoakSamples.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class SoakTest {

    private static final int MB = 1_000_000;

    @TempDir
    Path directory;

    /**
     * The program runs in its own process, because it reports each lost buffer of the process, also those of other tests. The growth of
     * the heap is not checked, because the new process still loads classes. The idle timeout is the default of the program, which is four
     * times the maximum interval between retransmissions, so that sessions survive lost datagrams while other tests use the processors.
     */
    @Test
    void sessionsEndInAllWaysAndLeaveNothing() throws Exception {
        Path output = directory.resolve("soak.txt");
        ProcessBuilder command = new ProcessBuilder(ChildProcess.java(), "-cp", System.getProperty("java.class.path"),
            Soak.class.getName(), "--seconds", "2", "--warmup", "2", "--round", "2");
        try (OwnedProcess soak = new OwnedProcess(command.redirectErrorStream(true).redirectOutput(output.toFile()).start())) {
            soak.process().waitFor();
            List<String> lines = Files.readAllLines(output);
            assertThat(lines).as("end of the run").anyMatch(line -> line.contains(" 0 unexpected ends"));
            assertThat(lines).filteredOn(line -> line.startsWith("FAILED: "))
                .allMatch(line -> line.startsWith("FAILED: the heap grows"), "only the heap may grow");
        }
    }

    @Test
    void constantMemoryIsAccepted() {
        SoakSamples samples = new SoakSamples();
        for (int i = 0; i < 10; i++) {
            samples.add(new Sample(1_000L * i, 20 * MB + i % 3 * 50_000L, 4 * MB, 10, 50));
        }
        assertThat(samples.failures()).isEmpty();
    }

    @Test
    void aFewBytesPerSessionAreALeak() {
        SoakSamples samples = new SoakSamples();
        for (int i = 0; i < 10; i++) {
            samples.add(new Sample(1_000L * i, 20 * MB + 40_000L * i + i % 3 * 10_000L, 4 * MB, 10, 50));
        }
        assertThat(samples.failures()).singleElement().asString().contains("bytes per session");
        assertThat(samples.heapBytesPerSession()).isBetween(39.0, 41.0);
    }

    @Test
    void growthOfBuffersThreadsAndFilesIsReported() {
        SoakSamples samples = new SoakSamples();
        samples.add(new Sample(0, 20 * MB, 4 * MB, 10, 50));
        samples.add(new Sample(1_000, 20 * MB, 40 * MB, 11, 51));
        assertThat(samples.failures()).hasSize(3);
    }
}
