package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class EchoTest {

    @ParameterizedTest
    @CsvSource({"message, fast3, 64", "stream, normal, 100000"})
    void theClientGetsItsAnswers(String mode, String preset, String size) throws Exception {
        String port = Integer.toString(FreePort.find());
        Thread server = new Thread(() -> Launcher.commandLine(new EchoServer()).execute("--port", port, "--mode", mode));
        server.start();
        try {
            assertThat(Launcher.commandLine(new EchoClient()).execute("--port", port, "--mode", mode, "--preset", preset,
                "--count", "3", "--size", size, "--interval", "1")).isZero();
        } finally {
            server.interrupt();
            server.join();
        }
    }

    @Test
    void withoutAServerTheClientSaysWhatToDo() throws Exception {
        StringWriter errors = new StringWriter();
        int exitCode = Launcher.commandLine(new EchoClient()).setErr(new PrintWriter(errors, true))
            .execute("--port", Integer.toString(FreePort.find()), "--timeout", "1");
        assertThat(exitCode).isOne();
        assertThat(errors.toString()).contains("no sign of life from the peer", "is an EchoServer running on 127.0.0.1:");
    }

    @Test
    void badOptionsAreNamed() {
        StringWriter errors = new StringWriter();
        int exitCode = Launcher.commandLine(new EchoClient()).setErr(new PrintWriter(errors, true)).execute("--mtu", "9000");
        assertThat(exitCode).isOne();
        assertThat(errors.toString()).contains("mtuBytes: 9000 (expected: ");
    }
}
