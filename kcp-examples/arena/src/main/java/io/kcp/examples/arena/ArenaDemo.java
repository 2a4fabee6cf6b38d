package io.kcp.examples.arena;

import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotReport;
import io.kcp.examples.arena.bots.BotSettings;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A gateway and bots on lines that lose and delay, in one process: something to look at in a browser. */
@Command(name = "arena-demo", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a gateway, and bots that play there, until it is stopped; tells where to look.")
public final class ArenaDemo implements Callable<Integer> {

    @Option(names = "--http", paramLabel = "PORT", description = "Port of the page, 0 for any (default: ${DEFAULT-VALUE}).")
    private int httpPort = 8080;

    @Option(names = "--kcp", paramLabel = "PORT", description = "UDP port of the players, 0 for any (default: ${DEFAULT-VALUE}).")
    private int kcpPort = 9000;

    @Option(names = "--bots", description = "How many (default: ${DEFAULT-VALUE}).")
    private int bots = 100;

    @Option(names = "--loss", paramLabel = "PERCENT", description = "Datagrams lost each way (default: ${DEFAULT-VALUE}).")
    private double loss = 2;

    @Option(names = "--delay", paramLabel = "MS", description = "Delay each way, and half as much by chance (default: ${DEFAULT-VALUE}).")
    private int delay = 15;

    @Option(names = "--seconds", description = "How long; 0 until it is stopped (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command; picocli fills in its options. */
    public ArenaDemo() {
    }

    /**
     * Runs the command, and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new ArenaDemo()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        String[] properties = {"--server.port=" + httpPort, "--server.address=127.0.0.1", "--kcp.server.port=" + kcpPort,
            "--kcp.server.address=127.0.0.1", "--logging.level.root=warn"};
        try (ConfigurableApplicationContext context = SpringApplication.run(ArenaApplication.class, properties);
             BotFleet fleet = new BotFleet(settings(context))) {
            fleet.awaitIn(Duration.ofMinutes(1));
            fleet.talk(true);
            out.println();
            String port = context.getEnvironment().getProperty("local.server.port");
            out.println(fleet.in() + " bots play. Look at http://127.0.0.1:" + port + '/');
            out.println(seconds == 0 ? "Stop with Ctrl-C." : "This ends in " + seconds + " s.");
            out.flush();
            TimeUnit.SECONDS.sleep(seconds == 0 ? Integer.MAX_VALUE : seconds);
            fleet.awaitSettled(Duration.ofSeconds(10));
            BotReport report = fleet.report();
            out.println(report.summary());
            return report.isGood() ? 0 : 1;
        }
    }

    private BotSettings settings(ConfigurableApplicationContext context) {
        KcpServer server = Objects.requireNonNull(context.getBean(KcpServers.class).find("server"));
        InetSocketAddress players = server.localAddress();
        return new BotSettings(List.of(players)).bots(bots).sayRate(Math.max(1, bots / 4.0)).link(loss, Duration.ofMillis(delay));
    }
}
