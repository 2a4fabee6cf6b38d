package io.kcp.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Emulated lossy link between two network namespaces, which the kernel's TCP can use. The program {@code linkemu} of
 * {@code src/interop/link} emulates the link.
 */
final class TunLink implements AutoCloseable {

    private static final Pattern BYTES = Pattern.compile("\"bytes\":(\\d+)");
    private static final int END_SECONDS = 2;

    private final String program;
    private final Process process;
    private final BufferedReader output;
    private final String ready;

    TunLink(Path program, LinkConditions conditions, long seed) throws IOException {
        this.program = program.toAbsolutePath().toString();
        process = new ProcessBuilder(this.program, "run", "--delay-ms", Double.toString(conditions.delayMs()),
            "--loss-percent", Double.toString(conditions.lossPercent()), "--rate-mbit", "0",
            "--seed", Long.toString(seed)).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        output = process.inputReader(StandardCharsets.UTF_8);
        try {
            ready = line("ready");
        } catch (IOException failed) {
            process.destroyForcibly();
            throw failed;
        }
    }

    /** Returns the path of the {@code linkemu} program in the current source tree, or {@code null} if the program has not been built. */
    static @Nullable Path findProgram() {
        for (Path directory = Path.of("").toAbsolutePath(); directory != null; directory = directory.getParent()) {
            Path program = directory.resolve("src/interop/build/linkemu");
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        return null;
    }

    /** Returns the reason why this machine cannot emulate a link with these conditions, or {@code null} if it can. */
    static @Nullable String obstacle(@Nullable Path program, LinkConditions conditions) throws IOException, InterruptedException {
        if (conditions.jitterMs() > 0 || conditions.reorderPercent() > 0 || conditions.duplicatePercent() > 0) {
            return "its link supports only loss and delay";
        }
        if (program == null) {
            return "its link has not been built (run src/interop/install.sh, which requires Go)";
        }
        Process check = new ProcessBuilder(program.toString(), "check").redirectErrorStream(true).start();
        String said;
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(check.getInputStream(), StandardCharsets.UTF_8))) {
            said = reader.lines().filter(line -> line.startsWith("linkemu: ")).findFirst().orElse("linkemu: cannot create a link");
        }
        return check.waitFor() == 0 ? null : said.substring(said.indexOf(' ') + 1);
    }

    String receiverAddress() {
        return text("right_address");
    }

    /** Starts a Java program in the network namespace of the receiver, with the class path of this process. */
    Process startReceiver(Class<?> main, List<String> arguments) throws IOException {
        return start("right", main, arguments);
    }

    /** Starts a Java program in the network namespace of the sender, with the class path of this process. */
    Process startSender(Class<?> main, List<String> arguments) throws IOException {
        return start("left", main, arguments);
    }

    private Process start(String side, Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "exec", text(side), "--",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED", "-Dio.netty.machineId=00:00:00:00:00:00:00:01", "-cp",
            System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Returns the total size of all IP packets, including lost ones, that were sent in both directions. */
    long wireBytes() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append("counters\n").flush();
        Matcher bytes = BYTES.matcher(line("counters"));
        long sum = 0;
        while (bytes.find()) {
            sum += Long.parseLong(bytes.group(1));
        }
        return sum;
    }

    private String line(String event) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("{\"event\":\"" + event + '"')) {
                return line;
            }
        }
        throw new IOException(String.format(Locale.ROOT, "linkemu exited before it printed the event \"%s\"", event));
    }

    private String text(String field) {
        Matcher matcher = Pattern.compile('"' + field + "\":\"([^\"]*)\"").matcher(ready);
        if (!matcher.find()) {
            throw new IllegalStateException("the event " + ready + " has no field " + field);
        }
        return matcher.group(1);
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException alreadyEnded) {
            process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
