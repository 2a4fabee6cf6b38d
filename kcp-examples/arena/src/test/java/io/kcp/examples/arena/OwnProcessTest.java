package io.kcp.examples.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("interop")
@Timeout(60)
class OwnProcessTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    /** Takes longer to exit than {@code timeout} waits before it kills a program. */
    private static final String SLOW_TO_END = "trap 'sleep 6; echo done; exit 143' TERM; tail -f /dev/null & echo ready; wait";

    @Test
    void slowlyStoppingProgramIsNotKilled(@TempDir Path directory) throws Exception {
        try (OwnProcess program = OwnProcess.start("slow", directory, List.of(Tool.find("sh"), "-c", SLOW_TO_END))) {
            await().atMost(SOON).untilAsserted(() -> assertThat(program.output()).contains("ready"));
            program.signal("TERM");
            assertThat(program.awaitEnd(SOON)).isEqualTo(143);
            assertThat(program.output()).contains("done");
        }
    }
}
