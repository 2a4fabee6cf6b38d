package io.kcp.examples;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Runs a command the way all examples do: failures are one line on standard error, and exit code 1. */
final class Launcher {

    private Launcher() {
    }

    static void main(Callable<Integer> command, String... arguments) {
        int exitCode = commandLine(command).execute(arguments);
        // No exit on success: what started us in its own JVM, as Maven does, goes on.
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

    /** Where a command prints: what its caller, a test say, gave it. */
    static PrintWriter out(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec, "commands are run by picocli").commandLine().getOut();
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
