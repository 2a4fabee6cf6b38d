package io.kcp.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Both ends of a transfer, each in a process of its own.
 *
 * <pre>
 * load="java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.KcpLoad"
 * $load sink-server --listen 9000      and   $load source-client --connect 9000 --seconds 10      one way
 * $load echo-server --listen 9000      and   $load echo-client --connect 9000 --seconds 10        pipelined echo
 * $load echo-server --listen 9000      and   $load pingpong-client --connect 9000 --count 20000   one at a time
 * </pre>
 *
 * <p>A server prints a {@code ready} line with its port, and ends when it has been quiet for a while after the first bytes.
 * Every end prints one {@code bench} line. {@code --help} after a name lists the options.
 */
@Command(name = "kcp-load", description = "Both ends of a transfer.", mixinStandardHelpOptions = true,
    subcommands = {SinkServer.class, SourceClient.class, EchoServer.class, EchoClient.class, PingPongClient.class})
public final class KcpLoad {

    /** Creates the command. */
    public KcpLoad() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new KcpLoad()).execute(arguments));
    }
}
