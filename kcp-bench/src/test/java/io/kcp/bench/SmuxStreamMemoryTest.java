package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An idle stream occupies little memory. */
@Timeout(60)
class SmuxStreamMemoryTest {

    @Test
    void idleStreamOccupiesAFewKilobytes() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        long bytes = SmuxStreamMemory.measure(1_000, new PrintStream(output, true, StandardCharsets.UTF_8));
        assertThat(bytes).as(output.toString(StandardCharsets.UTF_8)).isBetween(500L, 4_096L);
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("1000 streams");
    }
}
