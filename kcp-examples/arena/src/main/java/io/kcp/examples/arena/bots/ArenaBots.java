package io.kcp.examples.arena.bots;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Load-tests game servers with bots. Exits with 0 if no message was lost or repeated, 1 if there was a problem, 2 for wrong options. */
@Command(name = "arena-bots", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Starts bots that join rooms, play, chat, reconnect after lost sessions, and verify received messages.")
public final class ArenaBots implements Callable<Integer> {

    @Mixin
    private BotSettings settings = new BotSettings();

    @Option(names = "--seconds", description = "Seconds during which the bots chat (default: ${DEFAULT-VALUE}).")
    private int seconds = 30;

    @Option(names = "--warm-up", paramLabel = "SECONDS",
        description = "Seconds during which the bots chat before times are measured (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--timeout", paramLabel = "SECONDS",
        description = "Maximum time to wait for the last join and for the last message (default: ${DEFAULT-VALUE}).")
    private int timeout = 20;

    @Option(names = "--report", paramLabel = "FILE", description = "File for the report in JSON format.")
    private @Nullable Path report;

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public ArenaBots() {
    }

    /**
     * Runs the command and exits the JVM.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new ArenaBots()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        try {
            settings.check();
        } catch (IllegalArgumentException mistake) {
            throw new CommandLine.ParameterException(command, String.valueOf(mistake.getMessage()), mistake);
        }
        PrintWriter out = command.getOut();
        try (BotFleet fleet = new BotFleet(settings)) {
            fleet.awaitIn(Duration.ofSeconds(timeout + settings.bots / settings.joinsPerSecond));
            out.println(fleet.in() + " bots are in their rooms");
            fleet.talk(true);
            if (warmUp > 0) {
                TimeUnit.SECONDS.sleep(warmUp);
                fleet.resetTimes();
            }
            for (int second = 1; second <= seconds; second++) {
                TimeUnit.SECONDS.sleep(1);
                if (second % 10 == 0) {
                    out.println(second + " s: " + fleet.in() + " in, round trip " + fleet.roundTrips());
                    out.flush();
                }
            }
            fleet.awaitSettled(Duration.ofSeconds(timeout));
            BotReport result = fleet.report();
            out.println(result.summary());
            Path file = report;
            if (file != null) {
                Files.writeString(file, JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(result));
            }
            out.flush();
            return result.isGood() ? 0 : 1;
        }
    }
}
