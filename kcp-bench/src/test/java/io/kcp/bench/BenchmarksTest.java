package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark briefly, and checks only that it works, not how fast it is. */
class BenchmarksTest {

    @BeforeAll
    static void allowConcurrentBuilds() {
        System.setProperty("jmh.ignoreLock", "true");
    }

    @ParameterizedTest
    @ValueSource(classes = {KcpFlushBenchmark.class, KcpInputBenchmark.class, SegmentHeaderBenchmark.class,
        DatagramCipherBenchmark.class, FecCodecBenchmark.class, ReedSolomonBenchmark.class,
        PipelineBenchmark.class, CollectStatsBenchmark.class})
    void benchmarkRuns(Class<?> benchmark) throws RunnerException {
        Options options = new OptionsBuilder().include(benchmark.getName() + "\\.").forks(0).warmupIterations(0)
            .measurementIterations(1).measurementTime(TimeValue.milliseconds(20)).param("windowSegments", "128")
            .param("cipherName", "aes-128-gcm", "xtea", "none")
            .shouldFailOnError(true).verbosity(VerboseMode.SILENT).build();
        Collection<RunResult> results = new Runner(options).run();
        assertThat(results).isNotEmpty()
            .allSatisfy(result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
    }
}
