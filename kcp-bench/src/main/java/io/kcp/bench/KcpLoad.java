package io.kcp.bench;

import java.io.InputStream;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Load-tests a KCP server. Client and server are separate processes.
 *
 * <pre>
 * load="java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.KcpLoad"
 * $load server --work sink --listen 9000
 * $load client --work source --connect 9000                      one-way throughput
 * $load client --work source --connect 9000 --write-bytes 64 --mode MESSAGE
 * $load server --work echo --listen 9000
 * $load client --work echo --connect 9000                        pipelined echo
 * $load client --work pingpong --connect 9000                    one message at a time
 * $load client --work fleet --connect 9000 --sessions 5000 --rate 1
 * $load client --work churn --connect 9000                       open, one round trip, close
 * $load client --work idle --connect 9000                        then type: open 5000
 * $load server --work packets --protocol TCP --listen 9000
 * $load client --work packets --protocol TCP --connect 9000 --connections 1000
 * $load server --work delay --mode MESSAGE --listen 9000
 * $load client --work delay --mode MESSAGE --connect 9000 --rate 50
 * </pre>
 *
 * <p>Standard output contains only JSON objects, one per line. Unless {@code --quiet} is given, standard error shows the progress once per
 * second. The server prints {@code ready} with its port. The client prints {@code measuring} after its warm-up and {@code result} after the
 * measured time, and exits three seconds later. Both read commands from standard input:
 *
 * <table>
 * <caption>Commands</caption>
 * <tr><th>command</th><th>response</th></tr>
 * <tr><td>{@code mark}</td><td>time, CPU time, bytes, messages, and bytes allocated by the threads</td></tr>
 * <tr><td>{@code stats}</td><td>datagrams and retransmissions</td></tr>
 * <tr><td>{@code memory}</td><td>used heap after full collections, direct memory, resident memory</td></tr>
 * <tr><td>{@code delay}</td><td>server: percentiles of the delays measured so far by {@code --work delay}</td></tr>
 * <tr><td>{@code open N}</td><td>client, {@code --work idle}: {@code opened}, when N sessions are open</td></tr>
 * </table>
 *
 * <p>Both programs exit when standard input ends, so that they do not outlive the program that started them. To run a program in the
 * background, give it an input that stays open: {@code sleep infinity | $load client ...}. A failure prints {@code error}, and the exit
 * code is 1. A client fails if its input ends before the result is available, except with {@code --work idle}.
 */
@Command(name = "kcp-load", description = "Load-tests a KCP server.", mixinStandardHelpOptions = true,
    subcommands = {LoadServer.class, LoadClient.class})
final class KcpLoad {

    final InputStream in;
    final PrintStream out;

    private KcpLoad(InputStream in, PrintStream out) {
        this.in = in;
        this.out = out;
    }

    public static void main(String[] arguments) {
        System.exit(run(System.in, System.out, arguments));
    }

    /** Runs the command with the given streams as standard input and output, and returns its exit code. */
    static int run(InputStream in, PrintStream out, String... arguments) {
        return new CommandLine(new KcpLoad(in, out)).setCaseInsensitiveEnumValuesAllowed(true).setOverwrittenOptionsAllowed(true)
            .setExecutionExceptionHandler((failure, command, parsed) -> {
                Throwable cause = failure.getCause();
                String message = cause == null ? failure.toString() : failure + " (" + cause + ')';
                out.println(Json.event("error").put("message", message));
                failure.printStackTrace(System.err);
                return CommandLine.ExitCode.SOFTWARE;
            }).setParameterExceptionHandler((wrong, given) -> {
                out.println(Json.event("error").put("message", String.valueOf(wrong.getMessage())));
                System.err.println(wrong.getMessage() + "; --help lists the options");
                return CommandLine.ExitCode.USAGE;
            }).execute(arguments);
    }
}
