package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.CpuTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PinningTest {

    @Test
    void serverGetsTheFirstProcessor() {
        Pinning pinning = Pinning.of("2-4,7");
        assertThat(pinning.server()).containsExactly("taskset", "--cpu-list", "2");
        assertThat(pinning.clients()).containsExactly("taskset", "--cpu-list", "3,4,7");
        assertThat(pinning.problem()).isNull();
    }

    @Test
    void oneProcessorIsNotEnough() {
        assertThat(Pinning.of("3").problem()).contains("one processor");
        assertThat(Pinning.of("").problem()).contains("one processor");
    }

    @Test
    void cpuTimeIsReadBehindTheNameOfTheProgram(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("stat");
        Files.writeString(file, "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 250 31 0 0 20 0\n");
        assertThat(CpuTime.read(file)).isEqualTo(new CpuTime(2_500, 310));
        assertThat(CpuTime.read(directory.resolve("missing")).totalMs()).isNaN();
    }
}
