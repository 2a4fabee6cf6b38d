package io.kcp.bench.rig;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Receives load as the {@code server} subcommand of {@link LoadProgram}. */
@Command(name = "server", description = "Receives load until standard input ends.", mixinStandardHelpOptions = true)
final class LoadServer implements Callable<Integer> {

    private final Console console;
    private final Product product;

    @Mixin
    private final ProgramOptions options = new ProgramOptions();

    @Option(names = "--work", required = true,
        description = "sink (count received bytes), echo (return them), delay (measure the delay of messages) or packets (return packets)")
    @SuppressWarnings("NullAway.Init")
    private Work work;

    @Option(names = "--listen", defaultValue = "0", description = "port, 0 for any free port (${DEFAULT-VALUE})")
    private int port;

    @Option(names = "--greet-bytes", defaultValue = "0", description = "echo: bytes to send to each new session (${DEFAULT-VALUE})")
    private int greetBytes;

    @Option(names = "--work-us", defaultValue = "0",
        description = "echo: CPU time of the application for each message in microseconds (${DEFAULT-VALUE})")
    private long workUs;

    private final LoadMeter meter = new LoadMeter();
    private final ConcurrentHistogram delaysNs = new ConcurrentHistogram(3);

    LoadServer(Console console, Product product) {
        this.console = console;
        this.product = product;
    }

    @Override
    public Integer call() throws Exception {
        if (!work.isOfServers()) {
            throw new IllegalArgumentException("--work " + work + ": a server must have sink, echo, delay or packets");
        }
        Termination termination = new Termination();
        Setup setup = options.setup(true, work, meter, termination);
        try (Protocol protocol = product.start(setup)) {
            int boundPort = protocol.listen(port, listeners(setup, protocol));
            ControlCommands commands = new ControlCommands(console, meter, termination, options.histogramRows);
            commands.onStats(protocol);
            commands.on("delay", argument -> {
                ConcurrentHistogram ns = delaysNs.copy();
                return Events.addMilliseconds(Events.event("delay").put("received", ns.getTotalCount()), ns);
            });
            commands.start();
            console.out().println(Events.event("ready").put("port", boundPort));
            if (!options.quiet) {
                LoadProgress.start("server " + work.name().toLowerCase(Locale.ROOT), meter);
            }
            termination.await();
            termination.finish();
        }
        return 0;
    }

    private Supplier<SessionListener> listeners(Setup setup, Protocol protocol) {
        return switch (work) {
            case SINK -> () -> new ServerListener(meter);
            case DELAY -> () -> new DelayListener(meter, setup.writeBytes(), delaysNs);
            default -> {
                EchoListener.Behavior behavior =
                    new EchoListener.Behavior(greetBytes, TimeUnit.MICROSECONDS.toNanos(workUs), closer(protocol));
                yield () -> new EchoListener(meter, behavior);
            }
        };
    }

    private static @Nullable ScheduledExecutorService closer(Protocol protocol) {
        return protocol.notifiesOfClose() ? null : Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("closer", true));
    }
}
