package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An idle stream occupies little memory. */
@Timeout(60)
class SmuxStreamMemoryTest {

    private static final int SECONDS = 50;

    /** Runs the program in its own process, because the garbage of other tests would change the used heap. */
    @Test
    void idleStreamOccupiesAFewKilobytes() throws Exception {
        try (io.kcp.test.ChildProcess program = io.kcp.test.ChildProcess.java(SmuxStreamMemory.class, "1000")) {
            Matcher line = Pattern.compile("bytes of heap per stream when opened, (-?\\d+) after an echo")
                .matcher(program.await("1000 streams: ", SECONDS));
            assertThat(line.find()).isTrue();
            assertThat(Long.parseLong(line.group(1))).isBetween(500L, 4_096L);
            assertThat(program.exitCode(SECONDS)).isZero();
        }
    }
}
