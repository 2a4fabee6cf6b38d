package io.kcp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.tools.command.Launcher;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KcpCommandTest {

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int run(String... arguments) {
        return Launcher.commandLine(new KcpCommand()).setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true))
            .execute(arguments);
    }

    @Test
    void commandWithoutNameListsTheCommands() {
        assertThat(run()).isEqualTo(2);
        assertThat(errors.toString()).contains("tunnel", "link-check", "echo-server", "Add --help to a command");
    }

    @ParameterizedTest
    @ValueSource(strings = {"link-check", "echo-server"})
    void everyCommandExplainsItself(String command) {
        assertThat(run(command, "--help")).isZero();
        assertThat(output.toString()).contains("Usage: kcp " + command, "--host", "--crypt");
    }

    @Test
    void tunnelHasTwoSides() {
        assertThat(run("tunnel", "--help")).isZero();
        assertThat(output.toString()).contains("Usage: kcp tunnel", "server", "client");
    }

    @Test
    void unknownCommandIsRefused() {
        assertThat(run("tunel")).isEqualTo(2);
        assertThat(errors.toString()).contains("tunel", "Did you mean", "tunnel");
    }

    @Test
    void versionIsPrinted() {
        assertThat(run("--version")).isZero();
        assertThat(output.toString()).startsWith("kcp ");
    }
}
