package io.kcp.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Both ends of a measurement of delivery delay, each in a process of its own on one machine.
 *
 * <pre>
 * delay="java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.KcpDelay"
 * $delay server --listen 9000     and     $delay client --connect 9000 --sessions 8 --rate 50 --seconds 10
 * </pre>
 *
 * <p>The server prints a {@code ready} line with its port and, for every line {@code delay} on its standard input, a
 * {@code delay} line with percentiles over all that was measured so far. Both end when standard input does.
 */
@Command(name = "kcp-delay", description = "Both ends of a measurement of delivery delay.", mixinStandardHelpOptions = true,
    subcommands = {DelayServer.class, DelayClient.class})
public final class KcpDelay {

    /** Creates the command. */
    public KcpDelay() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new KcpDelay()).execute(arguments));
    }
}
