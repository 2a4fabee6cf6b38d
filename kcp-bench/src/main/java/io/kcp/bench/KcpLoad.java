package io.kcp.bench;

import java.io.InputStream;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Loads a server, each end in a process of its own.
 *
 * <pre>
 * load="java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.KcpLoad"
 * $load server --work sink --listen 9000
 * $load client --work source --connect 9000                      one way, as fast as it may
 * $load client --work source --connect 9000 --write-bytes 64 --mode MESSAGE
 * $load server --work echo --listen 9000
 * $load client --work echo --connect 9000                        the same, and all of it returned
 * $load client --work pingpong --connect 9000                    one message at a time
 * $load client --work fleet --connect 9000 --sessions 5000 --rate 1
 * $load client --work churn --connect 9000                       open, round trip, close
 * $load client --work idle --connect 9000                        then a line: open 5000
 * </pre>
 *
 * <p>Standard output has one JSON object a line and nothing else; standard error a line each second of what is going on,
 * unless {@code --quiet}. A server prints {@code ready} with its port. A client prints {@code measuring} when its warm-up is
 * over and {@code result} when the measured time is, and ends three seconds later. Both obey lines on standard input:
 *
 * <table>
 * <caption>Lines that both ends obey</caption>
 * <tr><th>line</th><th>what is printed</th></tr>
 * <tr><td>{@code mark}</td><td>time, CPU time, bytes and messages so far, bytes allocated by its threads</td></tr>
 * <tr><td>{@code stats}</td><td>datagrams and retransmissions so far</td></tr>
 * <tr><td>{@code memory}</td><td>live bytes of the heap after full collections, resident bytes</td></tr>
 * <tr><td>{@code open N}</td><td>work {@code idle} only: {@code opened}, when that many sessions are open</td></tr>
 * </table>
 *
 * <p>The end of standard input ends both, so that none outlives the program that started it. In the background, give them an input that
 * stays open: {@code sleep infinity | $load client ...}. What fails prints {@code error}, and the exit code is 1; so it does if the
 * input of a client, other than an {@code idle} one, ends before its result.
 */
@Command(name = "kcp-load", description = "Loads a server.", mixinStandardHelpOptions = true,
    subcommands = {LoadServer.class, LoadClient.class})
public final class KcpLoad {

    private final InputStream in;
    private final PrintStream out;

    /** Creates the command on standard input and output. */
    public KcpLoad() {
        this(System.in, System.out);
    }

    private KcpLoad(InputStream in, PrintStream out) {
        this.in = in;
        this.out = out;
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(System.in, System.out, arguments));
    }

    /** Runs the command with lines from and to somewhere else; returns its exit code. */
    static int run(InputStream in, PrintStream out, String... arguments) {
        return new CommandLine(new KcpLoad(in, out)).setCaseInsensitiveEnumValuesAllowed(true).setOverwrittenOptionsAllowed(true)
            .setExecutionExceptionHandler((failure, command, parsed) -> {
                JsonLine.event("error").put("message", message(failure)).printTo(out);
                failure.printStackTrace(System.err);
                return CommandLine.ExitCode.SOFTWARE;
            }).setParameterExceptionHandler((wrong, given) -> {
                JsonLine.event("error").put("message", String.valueOf(wrong.getMessage())).printTo(out);
                System.err.println(wrong.getMessage() + "; --help lists the options");
                return CommandLine.ExitCode.USAGE;
            }).execute(arguments);
    }

    private static String message(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure.toString() : failure + " (" + cause + ')';
    }

    InputStream in() {
        return in;
    }

    PrintStream out() {
        return out;
    }
}
