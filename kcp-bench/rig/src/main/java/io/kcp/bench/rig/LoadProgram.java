package io.kcp.bench.rig;

import java.io.InputStream;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Load program of one product. The client and the server are separate processes.
 *
 * <p>Standard output contains only JSON objects, one per line. Unless {@code --quiet} is given, standard error shows the progress once per
 * second. The server prints {@code ready} with its port. The client prints {@code measuring} after its warm-up and {@code result} after the
 * measured time, and exits three seconds later. Both read commands from standard input:
 *
 * <table>
 * <caption>Commands</caption>
 * <tr><th>command</th><th>response</th></tr>
 * <tr><td>{@code mark}</td><td>time, CPU time, bytes, messages, and bytes allocated by the threads</td></tr>
 * <tr><td>{@code stats}</td><td>datagrams and retransmissions, if the library counts them</td></tr>
 * <tr><td>{@code memory}</td><td>used heap after full collections, direct memory, resident memory</td></tr>
 * <tr><td>{@code delay}</td><td>server: percentiles of the delays measured so far by {@code --work delay}</td></tr>
 * <tr><td>{@code open N}</td><td>client, {@code --work idle}: {@code opened}, when N sessions are open</td></tr>
 * </table>
 *
 * <p>Both programs exit when standard input ends, so that they do not outlive the program that started them. To run a program in the
 * background, give it an input that stays open: {@code sleep infinity | $load client ...}. A failure prints {@code error}, and the exit
 * code is 1. A client fails if its input ends before the result is available, except with {@code --work idle}.
 */
public final class LoadProgram {

    private LoadProgram() {
    }

    /**
     * Runs the command {@code server} or {@code client}, and returns its exit code.
     *
     * @param name   name of the product
     * @param server options and implementation of the server
     * @param client options and implementation of the client
     * @param in     standard input
     * @param out    standard output
     */
    public static int run(String name, Product server, Product client, InputStream in, PrintStream out, String... arguments) {
        Console console = new Console(in, out);
        return new CommandLine(new Root())
            .addSubcommand("server", new CommandLine(new LoadServer(console, server)).addMixin("product", server))
            .addSubcommand("client", new CommandLine(new LoadClient(console, client)).addMixin("product", client))
            .setCommandName(name).setCaseInsensitiveEnumValuesAllowed(true).setOverwrittenOptionsAllowed(true)
            .setExecutionExceptionHandler((failure, command, parsed) -> {
                Throwable cause = failure.getCause();
                String message = cause == null ? failure.toString() : failure + " (" + cause + ')';
                out.println(Events.event("error").put("message", message));
                failure.printStackTrace(System.err);
                return CommandLine.ExitCode.SOFTWARE;
            }).setParameterExceptionHandler((wrong, given) -> {
                out.println(Events.event("error").put("message", String.valueOf(wrong.getMessage())));
                System.err.println(wrong.getMessage() + "; --help lists the options");
                return CommandLine.ExitCode.USAGE;
            }).execute(arguments);
    }

    /** Runs the command with the standard streams and ends the process. */
    public static void main(String name, Product product, String... arguments) {
        int exitCode = run(name, product, product, System.in, System.out, arguments);
        // Calls halt(), because the shutdown hooks of some libraries would delay the exit.
        Runtime.getRuntime().halt(exitCode);
    }

    /** The command line without a subcommand. */
    @Command(description = "Load-tests a library or protocol. Client and server are separate processes.", mixinStandardHelpOptions = true)
    private static final class Root {
    }
}
