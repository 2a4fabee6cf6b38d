package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeededRunsTest {

    @TempDir
    private Path captures;
    private final Map<String, String> properties = new HashMap<>();

    @BeforeEach
    void setProperties() {
        for (String name : List.of("kcp.seeds", "kcp.seed", "kcp.firstSeed")) {
            String value = System.clearProperty(name);
            if (value != null) {
                properties.put(name, value);
            }
        }
        System.setProperty("kcp.seeds", "5");
        System.setProperty("kcp.captures", captures.toString());
    }

    @AfterEach
    void restoreProperties() {
        System.clearProperty("kcp.captures");
        List.of("kcp.seeds", "kcp.seed", "kcp.firstSeed").forEach(System::clearProperty);
        properties.forEach(System::setProperty);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(captures)) {
            return files.sorted().toList();
        }
    }

    private static void transfer(SeededRun run) {
        LinkProfile link = LinkProfile.broadband().lossProbability(0.1).build();
        try (KcpPair pair = KcpPair.builder(run.seed()).configs(KcpConfig.fast()).links(link).partOf(run).build()) {
            pair.sendFromA(20_000);
            pair.assertCompletes(10_000);
        }
    }

    @Test
    void failureNamesSeedsCaptureAndCommand() throws IOException {
        SeededRuns runs = SeededRuns.named("A transfer, 10 % loss").run(run -> {
            transfer(run);
            if (run.seed() == 3) {
                throw new AssertionError("the third run");
            }
        });
        assertThat(files()).hasSize(1);
        assertThat(files().get(0)).hasFileName("a-transfer-10-loss-seed-3-network-1.pcap");
        assertThat(Files.size(files().get(0))).isGreaterThan(20_000);
        assertThatThrownBy(runs::assertNoneFailed).isInstanceOf(AssertionError.class).hasMessageContaining("1 of 5 runs failed, seeds [3]")
            .hasMessageContaining("the third run").hasMessageContaining(files().get(0).toString())
            .hasMessageContaining("-Dtest=SeededRunsTest").hasMessageContaining("-Dkcp.seed=3");
    }

    @Test
    void successfulRunsWriteNoFile() throws IOException {
        SeededRuns.named("A transfer").run(SeededRunsTest::transfer).assertNoneFailed();
        assertThat(files()).isEmpty();
    }

    @Test
    void runThatDependsOnMoreThanTheSeedFails() {
        AtomicLong other = new AtomicLong();
        SeededRuns runs = SeededRuns.named("Other source of randomness").reproducible().run(run -> run.addTrace(other.incrementAndGet()));
        assertThatThrownBy(runs::assertNoneFailed).hasMessageContaining("another trace hash");
    }

    @Test
    void onlyTheLastNetworksOfARunAreCaptured() throws IOException {
        SeededRuns.named("Many networks").run(run -> {
            for (int i = 0; i < 10; i++) {
                transfer(run);
            }
            throw new AssertionError("fails");
        });
        assertThat(files()).hasSize(3 * 4);
        assertThat(files().get(0)).hasFileName("many-networks-seed-1-network-10.pcap");
    }

    @Test
    void onlyAReproducibleSimulationRunsItsFirstSeedTwice() {
        List<Long> seeds = new ArrayList<>();
        SeededRuns.named("Once").run(run -> seeds.add(run.seed())).assertNoneFailed();
        assertThat(seeds).containsExactly(1L, 2L, 3L, 4L, 5L);
        seeds.clear();
        SeededRuns.named("Twice").reproducible().run(run -> seeds.add(run.seed())).assertNoneFailed();
        assertThat(seeds).containsExactly(1L, 1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void propertySetsTheFirstSeed() {
        System.setProperty("kcp.firstSeed", "900");
        List<Long> seeds = new ArrayList<>();
        SeededRuns runs = SeededRuns.named("First seed").run(run -> {
            seeds.add(run.seed());
            assertThat(run.seed()).isNotEqualTo(903);
        });
        assertThat(seeds).contains(900L, 901L, 902L, 903L, 904L).doesNotContain(1L, 905L);
        assertThatThrownBy(runs::assertNoneFailed).hasMessageContaining("seeds [903]").hasMessageContaining("-Dkcp.seed=903");
    }

    @Test
    void propertySelectsASingleSeed() {
        System.setProperty("kcp.seed", "42");
        List<Long> seeds = new ArrayList<>();
        SeededRuns.named("Single seed").run(run -> seeds.add(run.seed()));
        System.clearProperty("kcp.seed");
        assertThat(seeds).containsOnly(42L);
    }
}
