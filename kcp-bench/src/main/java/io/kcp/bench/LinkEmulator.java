package io.kcp.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A link of {@code src/interop/link}: two network namespaces, in which programs can be started. */
final class LinkEmulator implements AutoCloseable {

    /** Exit code for "cannot be done here". */
    static final int SKIPPED = 77;

    private static final int PATIENCE_SECONDS = 10;
    private static final String FIRST_OF_ALL = "-20";

    private final String program;
    private final ChildProcess process;
    private final String ready;

    LinkEmulator(Path program, double lossPercent, double delayMs, double rateMbit, long seed) {
        this.program = program.toAbsolutePath().toString();
        process = ChildProcess.start("linkemu", List.of(this.program, "run", "--loss-percent", Double.toString(lossPercent),
            "--delay-ms", Double.toString(delayMs), "--rate-mbit", Double.toString(rateMbit), "--seed", Long.toString(seed)));
        ready = process.await("ready", PATIENCE_SECONDS);
    }

    /** Tells why links cannot be made here; null if they can. */
    static @Nullable String obstacle(Path program) throws IOException, InterruptedException {
        if (!program.toFile().canExecute()) {
            return program + " is not there; src/interop/install.sh builds it";
        }
        Process check = new ProcessBuilder(program.toAbsolutePath().toString(), "check").redirectErrorStream(true).start();
        String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return check.waitFor() == 0 ? null : output.lines().findFirst().orElse("linkemu check failed");
    }

    String serverAddress() {
        return text("right_address");
    }

    /** Starts the end that data goes to. */
    ChildProcess startServer(String name, List<String> command) {
        return start(name, "right", command);
    }

    /** Starts the end that data comes from. */
    ChildProcess startClient(String name, List<String> command) {
        return start(name, "left", command);
    }

    private ChildProcess start(String name, String side, List<String> command) {
        List<String> inside = new ArrayList<>(List.of(program, "exec", "--nice", FIRST_OF_ALL, text(side), "--"));
        inside.addAll(command);
        return ChildProcess.start(name, inside);
    }

    private String text(String field) {
        Matcher matcher = Pattern.compile('"' + field + "\":\"([^\"]*)\"").matcher(ready);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + field + " in " + ready);
        }
        return matcher.group(1);
    }

    Counters counters() {
        process.tell("counters");
        String line = process.await("counters", PATIENCE_SECONDS);
        String there = line.substring(line.indexOf("left_to_right"));
        return new Counters((long) JsonLine.number(line, "ns"), (long) JsonLine.number(there, "bytes"),
            JsonLine.number(line, "stalled_ms"));
    }

    /**
     * What the link has seen so far.
     *
     * @param ns        its clock
     * @param wireBytes IP packets that the client sent, lost ones too
     * @param stalledMs time that processors of this machine stood still, summed
     */
    record Counters(long ns, long wireBytes, double stalledMs) {

        double wireMegabytesPerSecondSince(Counters before) {
            return (wireBytes - before.wireBytes) * 1e3 / (ns - before.ns);
        }

        double stalledMsPerSecondSince(Counters before) {
            return (stalledMs - before.stalledMs) * 1e9 / (ns - before.ns);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
