package io.kcp.examples;

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
import picocli.CommandLine.Model.CommandSpec;

/** Runs the command of an example program. A failure prints one line to standard error and exits with code 1. */
final class Launcher {

    private static final int LINE_INTERVAL_MS = 2_000;
    private static final int LINE_CHARS = 110;

    private Launcher() {
    }

    static void main(Callable<Integer> command, String... arguments) {
        int exitCode = commandLine(command).execute(arguments);
        // Does not call System.exit() on success, because a caller in the same JVM, such as Maven, must be able to continue.
        if (exitCode != 0) {
            System.exit(exitCode);
        }
    }

    static CommandLine commandLine(Callable<Integer> command) {
        return new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExecutionExceptionHandler((failure, line, result) -> {
                line.getErr().println(line.getCommandName() + ": " + message(failure));
                return line.getCommandSpec().exitCodeOnExecutionException();
            });
    }

    /** Returns the writer to which a command prints. Tests replace it. */
    static PrintWriter out(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec, "commands are run by picocli").commandLine().getOut();
    }

    /** Creates a progress bar builder. Without a terminal, it prints a line every two seconds. */
    static ProgressBarBuilder progressBar(PrintWriter out) {
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
}
