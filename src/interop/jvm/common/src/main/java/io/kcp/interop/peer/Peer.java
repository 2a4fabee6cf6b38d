package io.kcp.interop.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs a load program. Load programs print JSON lines, execute the commands that they read from standard input, and exit when standard
 * input closes.
 */
public final class Peer {

    private static volatile boolean finished;

    private Peer() {
    }

    /** Runs the load program of a library. Does not return, because the process exits when standard input closes. */
    public static void run(String[] arguments, Function<Options, Protocol> library) {
        try {
            Options options = new Options(arguments);
            Protocol protocol = library.apply(options);
            Meter meter = new Meter();
            Map<String, Supplier<JsonLine>> commands = new HashMap<>();
            IdleWork idle = options.server() ? serve(options, protocol, meter, commands) : begin(options, protocol, meter);
            executeCommands(meter, idle, commands);
            // Calls halt(), because the shutdown hooks of the libraries would delay the exit.
            Runtime.getRuntime().halt(0);
        } catch (Throwable failure) {
            fail(failure.toString());
        }
    }

    private static IdleWork serve(Options options, Protocol protocol, Meter meter,
        Map<String, Supplier<JsonLine>> commands) throws Exception {
        int port = options.number("listen", 0);
        switch (options.work()) {
            case "sink" -> port = protocol.listen(port, () -> new SinkListener(meter));
            case "echo" -> {
                ScheduledExecutorService closer = protocol.tellsOfClose() ? null : Executors.newSingleThreadScheduledExecutor(Peer::daemon);
                port = protocol.listen(port, () -> new EchoListener(meter, closer));
            }
            case "delay" -> {
                Delays delays = new Delays();
                port = protocol.listen(port, () -> new DelayListener(meter, delays));
                commands.put("delay", () -> DelayListener.report(delays));
            }
            default -> throw new IllegalArgumentException("server --work must be sink, echo or delay");
        }
        options.checkAllRead();
        JsonLine.event("ready").put("port", port).print();
        return null;
    }

    private static IdleWork begin(Options options, Protocol protocol, Meter meter) throws Exception {
        Load load = new Load(options, protocol, meter);
        Work work = switch (options.work()) {
            case "source" -> new BulkWork(load, false);
            case "echo" -> new BulkWork(load, true);
            case "pingpong" -> new PingPongWork(load);
            case "fleet" -> new FleetWork(load);
            case "delay" -> new DelayWork(load);
            case "churn" -> new ChurnWork(load);
            case "idle" -> new IdleWork(load);
            default -> throw new IllegalArgumentException("client --work must be source, echo, pingpong, fleet, delay, idle or churn");
        };
        options.checkAllRead();
        start(work.getClass().getSimpleName(), work::run);
        return work instanceof IdleWork idle ? idle : null;
    }

    private static void executeCommands(Meter meter, IdleWork idle, Map<String, Supplier<JsonLine>> commands) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.trim().split("\\s+");
            switch (words[0]) {
                case "mark" -> meter.mark().print();
                case "memory" -> Meter.memory().print();
                case "open" -> {
                    if (idle == null) {
                        throw new IllegalArgumentException("the command open requires --work idle");
                    }
                    int count = Integer.parseInt(words[1]);
                    start("open", () -> idle.open(count));
                }
                case "" -> { }
                default -> {
                    Supplier<JsonLine> command = commands.get(words[0]);
                    if (command == null) {
                        throw new IllegalArgumentException("unknown command " + line);
                    }
                    command.get().print();
                }
            }
        }
    }

    /** A {@link Runnable} that may throw checked exceptions. */
    interface Task {
        void run() throws Exception;
    }

    static void start(String name, Task task) {
        Thread thread = daemon(() -> {
            try {
                task.run();
            } catch (Throwable failure) {
                fail(failure.toString());
            }
        });
        thread.setName(name);
        thread.start();
    }

    static Thread daemon(Runnable runnable) {
        Thread thread = new Thread(runnable);
        thread.setDaemon(true);
        return thread;
    }

    static void sleepSeconds(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }

    /** Prints the result. Sessions that fail later are not reported. */
    static void finish(JsonLine result) {
        finished = true;
        result.print();
    }

    /**
     * Reports that a session has failed, and exits. Does nothing after {@link #finish}, because the server may already have exited.
     */
    static void lost(Throwable cause) {
        if (!finished) {
            fail("session failed: " + cause);
        }
    }

    /** Prints an {@code error} event and exits with code 1. */
    public static synchronized void fail(String message) {
        JsonLine.event("error").put("message", message).print();
        Runtime.getRuntime().halt(1);
    }
}
