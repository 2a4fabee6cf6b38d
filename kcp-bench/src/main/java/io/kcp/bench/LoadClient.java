package io.kcp.bench;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Loads a server with one kind of work and says what came of it. */
@Command(name = "client", description = "Loads a server with one kind of work and says what came of it.",
    mixinStandardHelpOptions = true)
final class LoadClient implements Callable<Integer> {

    /** What there is to do. */
    enum Work { SOURCE, ECHO, PINGPONG, FLEET, IDLE, CHURN }

    private static final long LINES_AFTER_RESULT_MS = 3_000;
    private static final double POLL_SECONDS = 0.05;

    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    KcpLoad program;

    @Mixin
    LoadOptions load = new LoadOptions();

    @Mixin
    WorkOptions options = new WorkOptions();

    @Option(names = "--connect", required = true, description = "port of the server")
    int port;

    @Option(names = "--work", required = true, description = "source, echo, pingpong, fleet, idle or churn")
    @SuppressWarnings("NullAway.Init")
    Work work;

    @Override
    public Integer call() {
        boolean hasResult = false;
        LoadEnd end = new LoadEnd();
        LoadMeter meter = new LoadMeter();
        MultiThreadIoEventLoopGroup group = load.newGroup();
        InetSocketAddress server = new InetSocketAddress(load.host, port);
        try (ClientSockets sockets = new ClientSockets(load, group, server, options.sockets)) {
            LoadRun run = new LoadRun(options, sockets, meter, end, program.out());
            ControlLines lines = new ControlLines(program.in(), program.out(), meter, run::counts, end, load.histogramRows);
            ClientWork todo = newWork(run, lines);
            lines.start();
            if (!load.quiet) {
                LoadProgress.start("client " + work.name().toLowerCase(Locale.ROOT), meter);
            }
            todo.run().printTo(program.out());
            hasResult = true;
            obeySomeMoreLines(end, lines);
        } catch (CancellationException inputEnded) {
            if (!hasResult && work != Work.IDLE) {
                throw new IllegalStateException("standard input ended before the result: give this program one that stays open, "
                    + "such as \"sleep infinity | ...\"", inputEnded);
            }
        } finally {
            end.inputEnded();
            shutDown(group);
        }
        return 0;
    }

    private ClientWork newWork(LoadRun run, ControlLines lines) {
        return switch (work) {
            case SOURCE -> new SourceWork(run);
            case ECHO -> new EchoWork(run);
            case PINGPONG -> new PingPongWork(run);
            case FLEET -> new FleetWork(run);
            case IDLE -> {
                IdleWork idle = new IdleWork(run);
                lines.onOpen(idle::open);
                yield idle;
            }
            case CHURN -> new ChurnWork(run);
        };
    }

    /** The load goes on meanwhile, so that marks of both ends mean something. */
    private static void obeySomeMoreLines(LoadEnd end, ControlLines lines) {
        long resultNs = System.nanoTime();
        while (System.nanoTime() - Math.max(resultNs, lines.lastLineNs()) < TimeUnit.MILLISECONDS.toNanos(LINES_AFTER_RESULT_MS)) {
            end.pause(POLL_SECONDS);
        }
    }

    /** Ends the event loops, and with them all sockets. */
    static void shutDown(MultiThreadIoEventLoopGroup group) {
        group.shutdownGracefully(0, LINES_AFTER_RESULT_MS, TimeUnit.MILLISECONDS).syncUninterruptibly();
    }
}
