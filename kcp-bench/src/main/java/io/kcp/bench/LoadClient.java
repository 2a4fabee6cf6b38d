package io.kcp.bench;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.node.ObjectNode;

/** Generates load as the {@code client} subcommand of {@link KcpLoad}. */
@Command(name = "client", description = "Generates load and prints the result.", mixinStandardHelpOptions = true)
final class LoadClient implements Callable<Integer> {

    /** Values of the {@code --work} option. */
    enum Work { SOURCE, ECHO, PINGPONG, FLEET, DELAY, IDLE, CHURN, PACKETS }

    /** Generates one kind of load and returns the result. Interrupting the thread stops the workload. */
    interface Workload {
        ObjectNode run() throws InterruptedException;
    }

    private static final int SHUTDOWN_SECONDS = 3;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    KcpLoad program;

    @Mixin
    LoadOptions load = new LoadOptions();

    @Mixin
    WorkloadOptions options = new WorkloadOptions();

    @Option(names = "--connect", required = true, description = "port of the server")
    int port;

    @Option(names = "--work", required = true, description = "workload: source, echo, pingpong, fleet, delay, idle, churn or packets")
    @SuppressWarnings("NullAway.Init")
    Work work;

    @Option(names = "--rehearsal-port", description = "port of another server that first receives the same load without a result, so that "
        + "this client is compiled before it connects to the server under test")
    int rehearsalPort;

    @Option(names = "--linger-seconds", defaultValue = "3", description = "time without a command after which the client ends when it has "
        + "a result (${DEFAULT-VALUE})")
    int lingerSeconds;

    @Override
    public Integer call() {
        boolean hasResult = false;
        Termination termination = new Termination();
        LoadMeter meter = new LoadMeter();
        MultiThreadIoEventLoopGroup group = load.newGroup();
        ClientSockets sockets = new ClientSockets(load, group, new InetSocketAddress(load.host, port), options.sockets);
        try {
            if (rehearsalPort != 0) {
                rehearse();
            }
            LoadContext context = new LoadContext(options, sockets, meter, termination, program.out);
            ControlCommands commands = new ControlCommands(program, meter, context::counts, termination, load.histogramRows);
            Workload workload = newWorkload(context, commands, group);
            commands.start();
            if (!load.quiet) {
                LoadProgress.start("client " + work.name().toLowerCase(Locale.ROOT), meter);
            }
            context.print(workload.run());
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
            shutDown(group);
        }
        return 0;
    }

    private void rehearse() throws InterruptedException {
        Termination termination = new Termination();
        LoadMeter meter = new LoadMeter();
        MultiThreadIoEventLoopGroup group = load.newGroup();
        ClientSockets sockets = new ClientSockets(load, group, new InetSocketAddress(load.host, rehearsalPort), options.sockets);
        try {
            LoadContext context = new LoadContext(options, sockets, meter, termination, program.out);
            newWorkload(context, new ControlCommands(program, meter, context::counts, termination, load.histogramRows), group).run();
        } finally {
            termination.finish();
            shutDown(group);
        }
    }

    private Workload newWorkload(LoadContext context, ControlCommands commands, EventLoopGroup group) {
        return switch (work) {
            case SOURCE, ECHO -> work == Work.ECHO && load.blocking ? new BlockingEchoWorkload(context)
                : new BulkWorkload(context, work == Work.ECHO);
            case PINGPONG -> new PingPongWorkload(context);
            case FLEET, DELAY -> new FleetWorkload(context, work == Work.DELAY);
            case IDLE -> {
                IdleWorkload idle = new IdleWorkload(context);
                commands.on("open", sessions -> {
                    idle.open(Integer.parseInt(sessions));
                    return null;
                });
                yield idle;
            }
            case CHURN -> new ChurnWorkload(context);
            case PACKETS -> new PacketsWorkload(context, new PacketTransport(load, group), new InetSocketAddress(load.host, port));
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
            LoadContext.poll(POLL_INTERVAL, Duration.ofDays(1),
                () -> System.nanoTime() - Math.max(resultNs, commands.lastCommandNs()) > TimeUnit.SECONDS.toNanos(lingerSeconds));
        }
    }

    /** Terminates the event loops and thereby closes all sockets. */
    static void shutDown(MultiThreadIoEventLoopGroup group) {
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
