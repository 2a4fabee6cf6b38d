package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run whose tests all pass fails nevertheless if a buffer leaked. */
@Timeout(120)
class LeakingRunTest {

    @Test
    void leakFailsTheRunWithItsRecords() throws Exception {
        ChildRun run = run("paranoid", PlantedLeak.class);
        assertThat(run.output()).contains("1 succeeded", "1 leaks were reported in this JVM or its child processes:\nLEAK: ByteBuf",
            "Hint: never released", "io.kcp.test.PlantedLeak.leaksABuffer");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void leakOfAnEarlierClassFailsTheRun() throws Exception {
        ChildRun run = run("advanced", PlantedLeak.class, NoLeak.class);
        assertThat(run.output()).contains("LEAK: ByteBuf");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void runFailsIfLeaksCannotBeDetected() throws Exception {
        ChildRun run = run("paranoid", UsedBuffer.class);
        assertThat(run.output()).contains("Leaks were not detected: Netty's buffers were used before");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void runWithoutLeaksSucceeds() throws Exception {
        ChildRun run = run("paranoid", NoLeak.class);
        assertThat(run.output()).endsWith("1 succeeded\n");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void disabledLevelTracksNothing() throws Exception {
        ChildRun run = run("disabled", PlantedLeak.class);
        assertThat(run.output()).endsWith("1 succeeded\n");
        assertThat(run.exitCode()).isZero();
    }

    private static ChildRun run(String level, Class<?>... classes) throws IOException, InterruptedException {
        return ChildRun.of(List.of("-Dio.netty.leakDetection.level=" + level, "-Dio.netty.leakDetection.samplingInterval=1"), classes);
    }
}
