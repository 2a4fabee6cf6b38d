package io.kcp.test;

import org.junit.jupiter.api.Test;

/** A test whose child process reports a leak. {@link ChildProcessTest} runs it in a JVM of its own. */
class PlantedLeakOfChild {

    @Test
    void childLeaks() throws Exception {
        try (ChildProcess program = ChildProcess.start(new ProcessBuilder("sh", "-c", "echo LEAK: planted >&2"))) {
            program.awaitSuccess(10);
        }
    }
}
