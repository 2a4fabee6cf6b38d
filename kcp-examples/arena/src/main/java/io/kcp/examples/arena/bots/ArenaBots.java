package io.kcp.examples.arena.bots;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Loads gateways with bots, and judges. Exits with 0 if all went well, 1 if not, 2 for wrong arguments. */
@Command(name = "arena-bots", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Players without people: they come in, play, talk, come back when they are lost, and count what they hear.")
public final class ArenaBots implements Callable<Integer> {

    private static final String NONE = "none";

    @Option(names = "--servers", split = ",", paramLabel = "HOST:PORT", description = "Gateways (default: ${DEFAULT-VALUE}).")
    private List<String> servers = List.of("127.0.0.1:9000");

    @Option(names = "--bots", description = "How many (default: ${DEFAULT-VALUE}).")
    private int bots = 1_000;

    @Option(names = "--room-size", description = "How many in each room (default: ${DEFAULT-VALUE}).")
    private int roomSize = 25;

    @Option(names = "--seconds", description = "How long they talk (default: ${DEFAULT-VALUE}).")
    private int seconds = 30;

    @Option(names = "--warm-up", paramLabel = "SECONDS",
        description = "How long they talk before, without their times being counted (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--say-rate", description = "Messages a second of all of them together (default: ${DEFAULT-VALUE}).")
    private double sayRate = 100;

    @Option(names = "--input-rate", description = "Inputs a second of each (default: ${DEFAULT-VALUE}).")
    private int inputRate = 10;

    @Option(names = "--join-rate", description = "How many come in a second (default: ${DEFAULT-VALUE}).")
    private int joinRate = 500;

    @Option(names = "--prefix", description = "What their names begin with (default: ${DEFAULT-VALUE}).")
    private String prefix = "bot";

    @Option(names = "--room", description = "What the names of their rooms begin with (default: ${DEFAULT-VALUE}).")
    private String room = "room";

    @Option(names = "--in-timeout", paramLabel = "SECONDS",
        description = "How long to wait for the last one to come in (default: ${DEFAULT-VALUE}).")
    private int inTimeout = 20;

    @Option(names = "--settle-timeout", paramLabel = "SECONDS",
        description = "How long to wait until all that was said has been heard (default: ${DEFAULT-VALUE}).")
    private int settleTimeout = 20;

    @Option(names = "--loss", paramLabel = "PERCENT", description = "Datagrams lost each way (default: ${DEFAULT-VALUE}).")
    private double loss;

    @Option(names = "--delay", paramLabel = "MS", description = "Delay each way, and half as much by chance (default: ${DEFAULT-VALUE}).")
    private int delay;

    @Option(names = "--answer-timeout", paramLabel = "MS",
        description = "Silence after which a new session is given up (default: ${DEFAULT-VALUE}).")
    private int answerTimeout = 1_000;

    @Option(names = "--dead-peer-timeout", paramLabel = "MS",
        description = "Silence after which a session is lost (default: ${DEFAULT-VALUE}).")
    private int deadPeerTimeout = 1_500;

    @Option(names = "--fec", paramLabel = "DATA:PARITY", description = "As the gateways have it, or 'none' (default: ${DEFAULT-VALUE}).")
    private String fec = "10:3";

    @Option(names = "--crypt", paramLabel = "NAME",
        description = "Cipher as the gateways have it, 'null' for none (default: ${DEFAULT-VALUE}).")
    private String crypt = "aes-128-gcm";

    @Option(names = "--key", paramLabel = "PASSWORD", description = "What its key is made of (default: ${DEFAULT-VALUE}).")
    private String key = "arena";

    @Option(names = "--threads", description = "Event loops (default: ${DEFAULT-VALUE}).")
    private int threads = 1;

    @Option(names = "--seed", description = "What their whims come from (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--report", paramLabel = "FILE", description = "Where the figures go as JSON.")
    private @Nullable Path report;

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command; picocli fills in its options. */
    public ArenaBots() {
    }

    /**
     * Runs the command, and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new ArenaBots()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        BotSettings settings;
        try {
            settings = settings();
        } catch (IllegalArgumentException mistake) {
            throw new CommandLine.ParameterException(command, String.valueOf(mistake.getMessage()), mistake);
        }
        PrintWriter out = command.getOut();
        try (BotFleet fleet = new BotFleet(settings)) {
            Duration coming = Duration.ofSeconds(inTimeout + bots / joinRate);
            if (!fleet.awaitIn(coming)) {
                out.println("not all are in after " + coming.toSeconds() + " s");
            }
            out.println(fleet.in() + " bots are in");
            fleet.talk(true);
            if (warmUp > 0) {
                TimeUnit.SECONDS.sleep(warmUp);
                fleet.forgetTimes();
            }
            for (int second = 1; second <= seconds; second++) {
                TimeUnit.SECONDS.sleep(1);
                if (second % 10 == 0) {
                    BotReport soFar = fleet.report();
                    out.println(second + " s: " + soFar.in() + " in, round trip " + soFar.rttMs() + ", " + soFar.acknowledged()
                        + " messages");
                }
            }
            fleet.awaitSettled(Duration.ofSeconds(settleTimeout));
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

    private BotSettings settings() {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String server : servers) {
            addresses.add(address(server));
        }
        return new BotSettings(addresses).bots(bots).roomSize(roomSize).sayRate(sayRate).inputsPerSecond(inputRate).joinsPerSecond(joinRate)
            .prefix(prefix).room(room).link(loss, Duration.ofMillis(delay)).threads(threads).seed(seed)
            .timeouts(Duration.ofMillis(answerTimeout), Duration.ofMillis(deadPeerTimeout))
            .wire(fec.equals(NONE) ? null : FecConfig.of(FecShape.parse(fec)), CryptoConfig.kcptun(crypt, key));
    }

    private static InetSocketAddress address(String server) {
        int colon = server.lastIndexOf(':');
        try {
            return new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        } catch (IndexOutOfBoundsException | NumberFormatException mistake) {
            throw new IllegalArgumentException("--servers: '" + server + "' (expected: host:port)", mistake);
        }
    }
}
