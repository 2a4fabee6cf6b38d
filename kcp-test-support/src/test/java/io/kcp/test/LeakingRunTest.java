package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run whose tests all pass fails nevertheless if a buffer leaked. */
@Timeout(60)
class LeakingRunTest {

    @Test
    void leakFailsTheRunWithItsRecords() throws Exception {
        Run run = run("paranoid", PlantedLeak.class);
        assertThat(run.output).contains("1 succeeded", "1 leaks were reported in this JVM or its child processes:\nLEAK: ByteBuf",
            "Hint: never released", "io.kcp.test.PlantedLeak.leaksABuffer");
        assertThat(run.exitCode).isEqualTo(1);
    }

    @Test
    void leakOfAnEarlierClassFailsTheRun() throws Exception {
        Run run = run("advanced", PlantedLeak.class, NoLeak.class);
        assertThat(run.output).contains("LEAK: ByteBuf");
        assertThat(run.exitCode).isEqualTo(1);
    }

    @Test
    void runWithoutLeaksSucceeds() throws Exception {
        Run run = run("paranoid", NoLeak.class);
        assertThat(run.output).isEqualTo("1 succeeded\n");
        assertThat(run.exitCode).isZero();
    }

    @Test
    void disabledLevelTracksNothing() throws Exception {
        Run run = run("disabled", PlantedLeak.class);
        assertThat(run.output).isEqualTo("1 succeeded\n");
        assertThat(run.exitCode).isZero();
    }

    private static Run run(String level, Class<?>... classes) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dio.netty.leakDetection.level=" + level, "-Dio.netty.leakDetection.samplingInterval=1", "-cp",
            System.getProperty("java.class.path"), JUnitProgram.class.getName());
        for (Class<?> type : classes) {
            builder.command().add(type.getName());
        }
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(output, process.waitFor());
    }

    private record Run(String output, int exitCode) {
    }
}
