package io.kcp.bench;

import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What sessions cost that do nothing. The server runs in this process, and only it; the far end in a process of its own.
 * Every session has received one message and returned it.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.IdleSessions memory       heap in bytes per session
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.IdleSessions quiet        keepalive and idle timeout off
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.IdleSessions keepalive    keepalive and idle timeout as they are
 * </pre>
 *
 * <p>Each prints a table and one JSON line. {@code memory --histogram 25} adds which classes the heap consists of.
 */
@Command(name = "idle-sessions", description = "What sessions cost that do nothing.", mixinStandardHelpOptions = true)
public final class IdleSessions {

    private static final int OPENED_WITHIN_SECONDS = 120;
    private static final int ANSWERED_WITHIN_SECONDS = 10;

    /** Creates the command. */
    public IdleSessions() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new IdleSessions()).execute(arguments));
    }

    /** Options of all measurements. */
    static final class Setting {

        @Option(names = "--transport", description = "EPOLL, IO_URING, KQUEUE or NIO (the best there is)")
        KcpTransport transport = KcpTransport.best();

        @Option(names = "--threads", defaultValue = "2", description = "event loops of the server (${DEFAULT-VALUE})")
        int threads;

        @Option(names = "--sockets", defaultValue = "64", description = "sockets of the far end (${DEFAULT-VALUE})")
        int sockets;

        @Option(names = "--settle-ms", defaultValue = "4000",
            description = "until nothing is unacknowledged and the compiler has done its work (${DEFAULT-VALUE})")
        long settleMs;

        IdleServer startServer(boolean liveness) {
            return new IdleServer(transport, threads, liveness);
        }

        ChildProcess startOpener(IdleServer server) {
            ChildProcess opener = ChildProcess.startJava(IdleSessions.class, List.of(), List.of("opener", "--port",
                Integer.toString(server.port()), "--sockets", Integer.toString(sockets)));
            opener.await("ready", ANSWERED_WITHIN_SECONDS);
            return opener;
        }

        void open(ChildProcess opener, IdleServer server, int sessions) {
            opener.tell("open " + sessions);
            opener.await("opened", OPENED_WITHIN_SECONDS);
            settle();
            requireOpen(server, sessions);
        }

        void settle() {
            ProcessMeter.sleep(settleMs);
        }
    }

    private static void requireOpen(IdleServer server, int sessions) {
        KcpListenerStats stats = server.stats();
        if (stats.activeSessions() != sessions || stats.openedSessions() != sessions) {
            throw new IllegalStateException("expected " + sessions + " open sessions: " + stats);
        }
    }

    /** Datagrams and CPU time of this process in a stretch of time. */
    private record Activity(double seconds, double cpuMs, long datagramsIn, long datagramsOut) {

        static Activity over(IdleServer server, int seconds) {
            KcpListenerStats before = server.stats();
            double cpuBeforeMs = ProcessMeter.cpuMs();
            long startNs = System.nanoTime();
            ProcessMeter.sleep(seconds * 1_000L);
            double elapsedSeconds = (System.nanoTime() - startNs) / 1e9;
            double cpuMs = ProcessMeter.cpuMs() - cpuBeforeMs;
            KcpListenerStats after = server.stats();
            return new Activity(elapsedSeconds, cpuMs, after.sessions().datagramsIn() - before.sessions().datagramsIn(),
                after.sessions().datagramsOut() - before.sessions().datagramsOut());
        }

        double cpuPercent() {
            return cpuMs / seconds / 10;
        }
    }

    @Command(description = "Heap in use with few and with many sessions, and the slope.", mixinStandardHelpOptions = true)
    int memory(@Mixin Setting setting,
        @Option(names = "--few", defaultValue = "5000", description = "sessions (${DEFAULT-VALUE})") int few,
        @Option(names = "--many", defaultValue = "50000", description = "sessions (${DEFAULT-VALUE})") int many,
        @Option(names = "--histogram", defaultValue = "0", description = "classes to list (${DEFAULT-VALUE})") int rows) {
        try (IdleServer server = setting.startServer(false); ChildProcess opener = setting.startOpener(server)) {
            // Loads every class that a session needs.
            setting.open(opener, server, 1);
            long emptyBytes = ProcessMeter.heapAfterCollectionBytes();
            setting.open(opener, server, few);
            long fewBytes = ProcessMeter.heapAfterCollectionBytes();
            ClassHistogram fewClasses = rows > 0 ? ClassHistogram.take() : null;
            setting.open(opener, server, many);
            long manyBytes = ProcessMeter.heapAfterCollectionBytes();
            double slopeBytes = (double) (manyBytes - fewBytes) / (many - few);
            System.out.printf("%9s %15s%n%9d %15d%n%9d %15d%n%9d %15d%n", "sessions", "heap, bytes", 1, emptyBytes, few,
                fewBytes, many, manyBytes);
            System.out.printf("slope: %.0f bytes per session%n", slopeBytes);
            if (fewClasses != null) {
                ClassHistogram.take().printGrowth(fewClasses, many - few, rows);
            }
            JsonLine.event("idle-memory").put("few", few).put("few_heap_bytes", fewBytes).put("many", many)
                .put("many_heap_bytes", manyBytes).put("bytes_per_session", slopeBytes).put("sockets", setting.sockets).print();
        }
        return 0;
    }

    @Command(description = "Datagrams and CPU time of sessions without keepalive and idle timeout.",
        mixinStandardHelpOptions = true)
    int quiet(@Mixin Setting setting,
        @Option(names = "--sessions", defaultValue = "5000", description = "sessions (${DEFAULT-VALUE})") int sessions,
        @Option(names = "--seconds", defaultValue = "10", description = "of each measurement (${DEFAULT-VALUE})") int seconds) {
        try (IdleServer server = setting.startServer(false); ChildProcess opener = setting.startOpener(server)) {
            setting.open(opener, server, 1);
            ProcessMeter.heapAfterCollectionBytes();
            Activity none = Activity.over(server, seconds);
            setting.open(opener, server, sessions);
            ProcessMeter.heapAfterCollectionBytes();
            setting.settle();
            Activity idle = Activity.over(server, seconds);
            requireOpen(server, sessions);
            System.out.printf("%9s %9s %13s %13s %9s%n", "sessions", "seconds", "datagrams in", "datagrams out", "CPU, ms");
            System.out.printf("%9d %9.2f %13d %13d %9.1f%n", 1, none.seconds, none.datagramsIn, none.datagramsOut, none.cpuMs);
            System.out.printf("%9d %9.2f %13d %13d %9.1f%n", sessions, idle.seconds, idle.datagramsIn, idle.datagramsOut,
                idle.cpuMs);
            JsonLine.event("idle-quiet").put("sessions", sessions).put("seconds", idle.seconds)
                .put("datagrams_in", idle.datagramsIn).put("datagrams_out", idle.datagramsOut).put("cpu_ms", idle.cpuMs)
                .put("baseline_cpu_ms", none.cpuMs).print();
        }
        return 0;
    }

    @Command(description = "Window probes and CPU time of sessions with keepalive and idle timeout.",
        mixinStandardHelpOptions = true)
    int keepalive(@Mixin Setting setting,
        @Option(names = "--sessions", defaultValue = "5000", description = "sessions (${DEFAULT-VALUE})") int sessions,
        @Option(names = "--seconds", defaultValue = "78", description = "three rounds (${DEFAULT-VALUE})") int seconds) {
        try (IdleServer server = setting.startServer(true); ChildProcess opener = setting.startOpener(server)) {
            setting.open(opener, server, sessions);
            opener.tell("count");
            String before = opener.await("count", ANSWERED_WITHIN_SECONDS);
            Activity kept = Activity.over(server, seconds);
            opener.tell("count");
            String after = opener.await("count", ANSWERED_WITHIN_SECONDS);
            requireOpen(server, sessions);
            double questions = JsonLine.number(after, "wasks_in") - JsonLine.number(before, "wasks_in");
            System.out.printf("%9s %9s %9s %9s %13s %13s %9s %8s%n", "sessions", "seconds", "WASK", "WASK/s", "datagrams in",
                "datagrams out", "CPU, ms", "CPU, %");
            System.out.printf("%9d %9.2f %9.0f %9.1f %13d %13d %9.1f %8.2f%n", sessions, kept.seconds, questions,
                questions / kept.seconds, kept.datagramsIn, kept.datagramsOut, kept.cpuMs, kept.cpuPercent());
            JsonLine.event("idle-keepalive").put("sessions", sessions).put("seconds", kept.seconds)
                .put("wasks_s", questions / kept.seconds).put("datagrams_in", kept.datagramsIn)
                .put("datagrams_out", kept.datagramsOut).put("cpu_ms", kept.cpuMs).put("cpu_percent", kept.cpuPercent())
                .print();
        }
        return 0;
    }

    @Command(hidden = true, description = "The far end.")
    int opener(@Option(names = "--port", required = true) int port, @Option(names = "--sockets", required = true) int sockets)
        throws IOException {
        new SessionOpener(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), sockets).run();
        return 0;
    }
}
