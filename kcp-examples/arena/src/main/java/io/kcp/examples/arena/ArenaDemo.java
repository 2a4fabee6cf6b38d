package io.kcp.examples.arena;

import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotReport;
import io.kcp.examples.arena.bots.BotSettings;
import io.kcp.examples.arena.web.DemoController;
import java.io.PrintWriter;
import java.time.Duration;
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

/** Runs a game server and bots over a simulated lossy link in one process. A web page shows the game and changes the link. */
@Command(name = "arena-demo", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a game server and bots until it is stopped, and prints the address of the live page.")
public final class ArenaDemo implements Callable<Integer> {

    /** Name of the second server, which has no FEC and to which the web page can switch the bots. */
    private static final String PLAIN_SERVER = "plain";

    @Option(names = "--http", paramLabel = "PORT",
        description = "TCP port of the web page, or 0 for any free port (default: ${DEFAULT-VALUE}).")
    private int httpPort = 8080;

    @Option(names = "--kcp", paramLabel = "PORT",
        description = "UDP port of the gateway, or 0 for any free port (default: ${DEFAULT-VALUE}).")
    private int kcpPort = 9000;

    @Option(names = "--bots", description = "Number of bots (default: ${DEFAULT-VALUE}).")
    private int bots = 100;

    @Option(names = "--loss", paramLabel = "PERCENT", description = "Datagram loss in each direction (default: ${DEFAULT-VALUE}).")
    private double loss = 5;

    @Option(names = "--delay", paramLabel = "MS",
        description = "Delay in each direction, plus a random jitter of up to half as much (default: ${DEFAULT-VALUE}).")
    private int delay = 15;

    @Option(names = "--seconds", description = "Seconds to run, or 0 to run until stopped (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public ArenaDemo() {
    }

    /**
     * Runs the command and exits the JVM.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new ArenaDemo()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        String plain = "--kcp.servers." + PLAIN_SERVER;
        try (ConfigurableApplicationContext context = SpringApplication.run(ArenaApplication.class, "--server.port=" + httpPort,
                 "--server.address=127.0.0.1", "--kcp.server.port=" + kcpPort, "--kcp.server.address=127.0.0.1", plain + ".port=0",
                 plain + ".address=127.0.0.1", plain + ".crypt.type=aes-128-gcm", plain + ".crypt.key=arena-example",
                 "--arena.demo=true", "--logging.level.root=warn")) {
            DemoController demo = context.getBean(DemoController.class);
            String server = "127.0.0.1:" + demo.server("server").getPort();
            BotSettings settings = BotSettings.of("--servers=" + server, "--bots=" + bots, "--loss=" + loss, "--delay=" + delay,
                "--say-rate=" + Math.max(1, bots / 4.0));
            try (BotFleet fleet = new BotFleet(settings)) {
                demo.start(fleet, PLAIN_SERVER);
                fleet.awaitIn(Duration.ofMinutes(1));
                fleet.talk(true);
                fleet.resetTimes();
                out.println(fleet.in() + " bots are playing. Open http://127.0.0.1:"
                    + context.getEnvironment().getProperty("local.server.port") + '/');
                out.println(seconds == 0 ? "Press Ctrl-C to stop." : "The demo stops after " + seconds + " s.");
                out.flush();
                TimeUnit.SECONDS.sleep(seconds == 0 ? Integer.MAX_VALUE : seconds);
                fleet.awaitSettled(Duration.ofSeconds(10));
                BotReport report = fleet.report();
                out.println(report.summary());
                return report.isGood() ? 0 : 1;
            }
        }
    }
}
