package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ChildProcessTest {

    /** Takes longer to exit than {@code timeout} waits before it kills a program. */
    private static final String SLOW_TO_END = "trap 'sleep 6; echo done; exit 143' TERM; tail -f /dev/null & echo ready; wait";

    private static ChildProcess shell(String script) throws Exception {
        return ChildProcess.start(List.of("sh", "-c", script));
    }

    @Test
    void outputIsReadLineByLine() throws Exception {
        try (ChildProcess program = shell("echo one; echo two 2 >&2; echo three")) {
            assertThat(program.nextLine(10)).isEqualTo("one");
            assertThat(program.await("two ", 10)).isEqualTo("2");
            assertThat(program.awaitSuccess(10)).isEqualTo("one\ntwo 2\nthree\n");
            assertThatThrownBy(() -> program.await("four", 10)).isInstanceOf(AssertionError.class).hasMessageContaining("exited");
        }
    }

    @Test
    void closingKillsTheProgramAndItsChildren() throws Exception {
        ProcessHandle child;
        try (ChildProcess program = shell("tail -f /dev/null & echo $!; wait")) {
            child = ProcessHandle.of(Long.parseLong(program.nextLine(10))).orElseThrow();
            assertThat(child.isAlive()).isTrue();
        }
        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void failureReportsExitCodeAndOutput() throws Exception {
        try (ChildProcess program = shell("echo reason; exit 3")) {
            assertThatThrownBy(() -> program.awaitSuccess(10)).isInstanceOf(AssertionError.class).hasMessageContaining("code 3")
                .hasMessageContaining("reason");
        }
    }

    @Test
    void slowlyStoppingBoundedProgramIsNotKilled() throws Exception {
        try (ChildProcess program = ChildProcess.startBounded(List.of("sh", "-c", SLOW_TO_END))) {
            assertThat(program.nextLine(10)).isEqualTo("ready");
            program.signalChildren("TERM");
            assertThat(program.exitCode(20)).isEqualTo(143);
            assertThat(program.lines()).contains("done");
        }
    }

    @Test
    void leakOfAChildProcessFailsTheTestAndTheRun() throws Exception {
        ChildRun run = ChildRun.of(List.of("-Dio.netty.leakDetection.level=paranoid"), PlantedLeakOfChild.class);
        assertThat(run.output()).contains("0 succeeded", "1 leaks were reported in this JVM or its child processes:\n",
            "sh -c echo LEAK: planted >&2 printed:\nLEAK: planted");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void leakOfAProgramThatExitsFailsTheTestAndTheRun() throws Exception {
        ChildRun run = ChildRun.of(List.of("-Dio.netty.leakDetection.level=paranoid"), PlantedLeakOfProgram.class);
        assertThat(run.output()).contains("0 succeeded", "1 leaks were reported in this JVM or its child processes:\n",
            "Hint: planted in the program");
        assertThat(run.exitCode()).isEqualTo(1);
    }
}
