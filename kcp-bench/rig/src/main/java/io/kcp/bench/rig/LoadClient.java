package io.kcp.bench.rig;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Generates load as the {@code client} subcommand of {@link LoadProgram}. */
@Command(name = "client", description = "Generates load and prints the result.", mixinStandardHelpOptions = true)
final class LoadClient implements Callable<Integer> {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private final Console console;
    private final Product product;

    @Mixin
    private final ProgramOptions common = new ProgramOptions();

    @Mixin
    private final WorkloadOptions options = new WorkloadOptions();

    @Option(names = "--connect", required = true, description = "port of the server")
    private int port;

    @Option(names = "--work", required = true, description = "workload: source, echo, pingpong, fleet, delay, idle, churn or packets")
    @SuppressWarnings("NullAway.Init")
    private Work work;

    @Option(names = "--rehearsal-port", description = "port of another server that first receives the same load without a result, so that "
        + "this client is compiled before it connects to the server under test")
    private int rehearsalPort;

    @Option(names = "--linger-seconds", defaultValue = "3", description = "time without a command after which the client ends when it has "
        + "a result (${DEFAULT-VALUE})")
    private int lingerSeconds;

    LoadClient(Console console, Product product) {
        this.console = console;
        this.product = product;
    }

    @Override
    public Integer call() throws Exception {
        if (!work.isOfClients()) {
            throw new IllegalArgumentException("--work " + work + ": only a server can have this workload");
        }
        if (rehearsalPort != 0) {
            rehearse();
        }
        boolean hasResult = false;
        LoadMeter meter = new LoadMeter();
        Termination termination = new Termination();
        Setup setup = common.setup(false, work, meter, termination);
        try (Protocol protocol = product.start(setup)) {
            try {
                Load load = new Load(setup, options, protocol, port, console.out());
                ControlCommands commands = new ControlCommands(console, meter, termination, common.histogramRows);
                commands.onStats(protocol);
                Workload workload = newWorkload(load, commands);
                commands.start();
                if (!common.quiet) {
                    LoadProgress.start("client " + work.name().toLowerCase(Locale.ROOT), meter);
                }
                load.print(workload.run());
                hasResult = true;
                linger(termination, commands);
            } catch (InterruptedException ended) {
                termination.await();
                if (!hasResult && work != Work.IDLE) {
                    throw new IllegalStateException("standard input was closed before the result was available: keep it open, "
                        + "for example with \"sleep infinity | ...\"", ended);
                }
            } finally {
                termination.finish();
            }
        }
        return 0;
    }

    private void rehearse() throws Exception {
        Termination termination = new Termination();
        LoadMeter meter = new LoadMeter();
        Setup setup = common.setup(false, work, meter, termination);
        try (Protocol protocol = product.start(setup)) {
            newWorkload(new Load(setup, options, protocol, rehearsalPort, console.out()),
                new ControlCommands(console, meter, termination, common.histogramRows)).run();
            termination.finish();
        }
    }

    private Workload newWorkload(Load load, ControlCommands commands) {
        Workload own = load.protocol().workload(load);
        return own != null ? own : switch (work) {
            case PINGPONG -> new PingPongWorkload(load);
            case FLEET, DELAY -> new FleetWorkload(load);
            case IDLE -> {
                IdleWorkload idle = new IdleWorkload(load);
                commands.on("open", sessions -> {
                    idle.open(Integer.parseInt(sessions));
                    return null;
                });
                yield idle;
            }
            case CHURN -> new ChurnWorkload(load);
            case PACKETS -> new PacketsWorkload(load);
            default -> new BulkWorkload(load, work == Work.ECHO);
        };
    }

    /**
     * Continues the load until no command has arrived for some seconds, so that both processes can be queried after the result. A client
     * of {@code delay} continues until its input ends, because lost messages have to be retransmitted.
     */
    private void linger(Termination termination, ControlCommands commands) throws InterruptedException {
        if (work == Work.DELAY) {
            termination.await();
        } else {
            long resultNs = System.nanoTime();
            Waiting.poll(POLL_INTERVAL, Duration.ofDays(1),
                () -> System.nanoTime() - Math.max(resultNs, commands.lastCommandNs()) > TimeUnit.SECONDS.toNanos(lingerSeconds));
        }
    }
}
