package io.kcp.examples.arena.bots;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options of a {@link BotFleet} on the command line and in tests. Tests create them with {@link #of}. */
@Command(sortOptions = false)
public final class BotSettings {

    private static final String NONE = "none";

    @Option(names = "--servers", split = ",", paramLabel = "HOST:PORT", description = "Gateways or balancers (default: ${DEFAULT-VALUE}).")
    private List<String> servers = List.of("127.0.0.1:9000");

    @Option(names = "--bots", description = "Number of bots (default: ${DEFAULT-VALUE}).")
    int bots = 50;

    @Option(names = "--room-size", description = "Number of bots in each room (default: ${DEFAULT-VALUE}).")
    int roomSize = 25;

    @Option(names = "--say-rate", description = "Chat messages per second of all bots together (default: ${DEFAULT-VALUE}).")
    double sayRate = 10;

    @Option(names = "--input-rate", description = "Inputs per second of each bot (default: ${DEFAULT-VALUE}).")
    int inputsPerSecond = 10;

    @Option(names = "--join-rate", description = "Number of bots that join per second at the start (default: ${DEFAULT-VALUE}).")
    int joinsPerSecond = 500;

    @Option(names = "--prefix", description = "Prefix of the bots' names, which must be unique (default: ${DEFAULT-VALUE}).")
    String prefix = "bot";

    @Option(names = "--room", description = "Prefix of the rooms' names (default: ${DEFAULT-VALUE}).")
    String room = "room";

    @Option(names = "--loss", paramLabel = "PERCENT", description = "Datagram loss in each direction (default: ${DEFAULT-VALUE}).")
    double lossPercent;

    @Option(names = "--delay", paramLabel = "MS",
        description = "Delay in each direction, plus a random jitter of up to half as much (default: ${DEFAULT-VALUE}).")
    int delayMs;

    @Option(names = "--answer-timeout", paramLabel = "MS",
        description = "Time after which a new session without a response is given up (default: ${DEFAULT-VALUE}).")
    int answerTimeoutMs = 1_000;

    @Option(names = "--dead-peer-timeout", paramLabel = "MS",
        description = "Time without a datagram after which a session with unacknowledged data counts as lost (default: ${DEFAULT-VALUE}).")
    int deadPeerTimeoutMs = 1_500;

    @Option(names = "--fec", paramLabel = "DATA:PARITY", description = "FEC of the gateways, or 'none' (default: ${DEFAULT-VALUE}).")
    private String fec = "2:1";

    @Option(names = "--crypt", paramLabel = "NAME", description = "Cipher of the gateways, 'null' for none (default: ${DEFAULT-VALUE}).")
    private String crypt = "aes-128-gcm";

    @Option(names = "--key", paramLabel = "PASSWORD", description = "Password of the gateways (default: ${DEFAULT-VALUE}).")
    private String key = "arena-example";

    @Option(names = "--threads", description = "Number of event loops (default: ${DEFAULT-VALUE}).")
    int threads = 1;

    @Option(names = "--seed", description = "Seed of the random numbers (default: ${DEFAULT-VALUE}).")
    long seed = 1;

    /** Creates settings with default values, which picocli then replaces with the values of the given options. */
    public BotSettings() {
    }

    /**
     * Creates settings from command-line options.
     *
     * @param options as on the command line, for example {@code "--bots=5"}
     * @return the settings
     * @throws CommandLine.ParameterException if an option is unknown or its value is invalid
     */
    public static BotSettings of(String... options) {
        BotSettings settings = new BotSettings();
        new CommandLine(settings).parseArgs(options);
        return settings.check();
    }

    /** Returns these settings after validating them. */
    BotSettings check() {
        atLeastOne("--bots", bots);
        atLeastOne("--room-size", roomSize);
        atLeastOne("--input-rate", inputsPerSecond);
        atLeastOne("--join-rate", joinsPerSecond);
        atLeastOne("--threads", threads);
        if (!(sayRate >= 0)) {
            throw new IllegalArgumentException("--say-rate: " + sayRate + " (expected: at least 0)");
        }
        link();
        CryptoConfig.kcptun(crypt, key);
        return this;
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 1)");
        }
    }

    /** Returns the link that the bots use initially. */
    BotLink link() {
        return new BotLink(servers.stream().map(BotSettings::address).toList(), lossPercent, Duration.ofMillis(delayMs),
            fec.equals(NONE) ? null : FecConfig.of(FecShape.parse(fec)));
    }

    @Nullable CryptoConfig crypto() {
        return CryptoConfig.kcptun(crypt, key);
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
