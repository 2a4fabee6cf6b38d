package io.kcp.bench.rig;

import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Executes the commands that a load program reads from standard input, as described in {@link LoadProgram}. The program exits when standard
 * input ends.
 */
final class ControlCommands implements Runnable {

    private final Console console;
    private final Termination termination;
    private final int histogramRows;
    private final Map<String, Function<String, @Nullable ObjectNode>> commands = new TreeMap<>();
    private @Nullable ClassHistogram histogram;
    private volatile long lastCommandNs = System.nanoTime();

    ControlCommands(Console console, LoadMeter meter, Termination termination, int histogramRows) {
        this.console = console;
        this.termination = termination;
        this.histogramRows = histogramRows;
        on("mark", argument -> meter.snapshot().addTo(Events.event("mark")));
        // Formats one event in advance, so that loading the required classes does not delay the first "mark" command.
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        nowhere.println(meter.snapshot().addTo(Events.event("mark")));
        on("memory", argument -> memory());
    }

    /** Adds the commands of the library. */
    void onStats(Protocol protocol) {
        protocol.commands().forEach((name, action) -> on(name, argument -> action.get()));
        on("stats", argument -> {
            ObjectNode stats = protocol.stats();
            if (stats == null) {
                throw new IllegalArgumentException("this library has no statistics");
            }
            return stats;
        });
    }

    /** Adds a command. Its action runs on the input thread and must not block. If the action returns an event, the event is printed. */
    void on(String command, Function<String, @Nullable ObjectNode> action) {
        commands.put(command, action);
    }

    /** Starts reading commands on a daemon thread. */
    void start() {
        Thread thread = new Thread(this, "standard input");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the {@code System.nanoTime()} at which the last command was executed. */
    long lastCommandNs() {
        return lastCommandNs;
    }

    @Override
    public void run() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(console.in(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                execute(line.strip());
                lastCommandNs = System.nanoTime();
            }
            termination.inputEnded();
        } catch (IOException | RuntimeException failure) {
            termination.fail(failure);
        }
    }

    private void execute(String line) {
        if (line.isEmpty()) {
            return;
        }
        String[] words = line.split(" +", 2);
        Function<String, @Nullable ObjectNode> action = commands.get(words[0]);
        if (action == null) {
            throw new IllegalArgumentException("unknown command: " + line + " (expected one of " + commands.keySet() + ')');
        }
        ObjectNode reply = action.apply(words.length == 1 ? "" : words[1]);
        if (reply != null) {
            console.out().println(reply);
        }
    }

    private ObjectNode memory() {
        ObjectNode memory = Events.event("memory").put("live_bytes", ProcessStats.heapAfterCollectionBytes())
            .put("direct_bytes", PlatformDependent.usedDirectMemory()).put("rss_bytes", ProcessStats.residentBytes());
        if (histogramRows > 0) {
            ClassHistogram now = ClassHistogram.take();
            if (histogram != null) {
                now.printGrowth(histogram, histogramRows, System.err);
            }
            histogram = now;
        }
        return memory;
    }
}
