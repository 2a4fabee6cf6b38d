package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildProcessTest {

    @Test
    void leakReportFailsTheWaitForAnEvent() {
        try (ChildProcess leaking = printing("LEAK: ByteBuf.release() was not called")) {
            assertThatThrownBy(() -> leaking.await("ready", 60)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("leaking leaked a buffer: LEAK: ByteBuf.release()");
        }
    }

    @Test
    void leakReportAfterTheLastEventFailsTheEnd() throws Exception {
        ChildProcess leaking = printing("{\"event\":\"ready\"}", "LEAK: ByteBuf.release() was not called");
        leaking.await("ready", 60);
        assertThatThrownBy(() -> leaking.end(60)).isInstanceOf(IllegalStateException.class).hasMessageContaining("leaked a buffer");
    }

    private static ChildProcess printing(String... lines) {
        List<String> command = new ArrayList<>(List.of("printf", "%s\\n"));
        command.addAll(List.of(lines));
        return ChildProcess.start("leaking", command);
    }
}
