package io.kcp.tools.command;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a command. A failure prints one line to standard error and exits with code 1, a wrong option exits with code 2. */
public final class Launcher implements IVersionProvider {

    private static final int LINE_INTERVAL_MS = 2_000;
    private static final int LINE_CHARS = 110;

    /**
     * Returns the version of the jar.
     *
     * @param command the name of the command, which precedes the version
     * @return one line
     */
    public static String[] versionOf(String command) {
        String version = Launcher.class.getPackage().getImplementationVersion();
        return new String[] {command + ' ' + (version == null ? "(development)" : version)};
    }

    /** Creates a provider of the version, for picocli. */
    public Launcher() {
    }

    /**
     * Runs a command, and ends the process if the command fails.
     *
     * @param command   a command of picocli
     * @param arguments its options
     */
    public static void main(Callable<Integer> command, String... arguments) {
        int exitCode = commandLine(command).execute(arguments);
        // Does not call System.exit() on success, because a caller in the same JVM, such as Maven, must be able to continue.
        if (exitCode != 0) {
            System.exit(exitCode);
        }
    }

    /**
     * Returns a command line that reports a failure with one line.
     *
     * @param command a command of picocli
     * @return the command line, whose output a test may redirect
     */
    public static CommandLine commandLine(Callable<Integer> command) {
        return new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExecutionExceptionHandler((failure, line, result) -> {
                line.getErr().println(line.getCommandName() + ": " + message(failure));
                return line.getCommandSpec().exitCodeOnExecutionException();
            });
    }

    /**
     * Returns the writer to which a command prints. Tests replace it.
     *
     * @param spec the specification that picocli has set in the command
     * @return the writer
     */
    public static PrintWriter out(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec, "commands are run by picocli").commandLine().getOut();
    }

    /**
     * Creates a progress bar. Without a terminal, it prints a line every two seconds.
     *
     * @param out receives these lines
     * @return the builder of the progress bar
     */
    public static ProgressBarBuilder progressBar(PrintWriter out) {
        ProgressBarBuilder builder = ProgressBar.builder().setStyle(ProgressBarStyle.ASCII);
        return Ansi.AUTO.enabled() ? builder
            : builder.setUpdateIntervalMillis(LINE_INTERVAL_MS).setConsumer(new DelegatingProgressBarConsumer(out::println, LINE_CHARS));
    }

    private static String message(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof ExecutionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message != null ? message : cause.toString();
    }

    @Override
    public String[] getVersion() {
        return versionOf("kcp");
    }
}
