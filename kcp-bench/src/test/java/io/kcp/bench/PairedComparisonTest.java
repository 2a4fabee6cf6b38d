package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs a brief comparison of this build with itself. */
@Timeout(120)
class PairedComparisonTest {

    private static final String[] SHORT = {"--scenarios", "ping-pong", "--pairs", "2", "--round-trips", "100"};

    @TempDir
    Path directory;

    @Test
    void pairsRunAndTheIntervalIsPrinted() throws IOException {
        String output = outputOf(0, "--floor", "0");
        assertThat(output).contains("ping-pong        1/2 before", "ping-pong        1/2 after", "ping-pong        2/2 after")
            .containsPattern("ping-pong +median µs +\\d+\\.\\d{3} \\(\\d+\\.\\d{3} to \\d+\\.\\d{3}\\)\\n");
        assertThat(output.indexOf("2/2 after")).as("the order alternates").isLessThan(output.indexOf("2/2 before"));
    }

    @Test
    void intervalBelowTheFloorFails() throws IOException {
        assertThat(outputOf(1, "--floor", "1e9")).contains("FALLS SHORT");
    }

    @Test
    void missingJarIsRejected() {
        assertThat(new CommandLine(new PairedComparison()).execute("--before", directory.resolve("none.jar").toString())).isEqualTo(2);
    }

    private String outputOf(int exitCode, String... options) throws IOException {
        PrintStream out = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            CommandLine command = new CommandLine(new PairedComparison());
            String[] arguments = new String[SHORT.length + options.length + 2];
            System.arraycopy(SHORT, 0, arguments, 0, SHORT.length);
            System.arraycopy(options, 0, arguments, SHORT.length, options.length);
            arguments[arguments.length - 2] = "--before";
            arguments[arguments.length - 1] = jarOfThisClassPath().toString();
            assertThat(command.execute(arguments)).as(captured.toString(StandardCharsets.UTF_8)).isEqualTo(exitCode);
        } finally {
            System.setOut(out);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }

    /** Writes a jar whose manifest contains the class path of this test. */
    private Path jarOfThisClassPath() throws IOException {
        StringBuilder classPath = new StringBuilder();
        for (String element : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            classPath.append(Path.of(element).toUri()).append(' ');
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath.toString());
        Path jar = directory.resolve("before.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }
}
