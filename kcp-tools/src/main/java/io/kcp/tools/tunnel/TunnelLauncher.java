package io.kcp.tools.tunnel;

import io.kcp.tools.command.Launcher;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs the commands of the tunnel until the process is terminated. A failure prints one line to standard error and exits with code 1, a
 * wrong option exits with code 2.
 */
final class TunnelLauncher implements IVersionProvider {

    /** Starts a tunnel. */
    @FunctionalInterface
    interface Starter {

        RunningTunnel start(TunnelLog log) throws IOException, InterruptedException;
    }

    private static final String CONFIG_OPTION = "-c";

    static void main(CommandLine line, String... arguments) {
        int exitCode = execute(line, arguments);
        if (exitCode != 0) {
            System.exit(exitCode);
        }
    }

    /** Parses the arguments and runs the command. Returns the exit code. */
    static int execute(CommandLine line, String... arguments) {
        try {
            return line.execute(withConfigFile(line, Arrays.asList(arguments)));
        } catch (IOException unreadable) {
            line.getErr().println(message(unreadable));
            return line.getCommandSpec().exitCodeOnInvalidInput();
        }
    }

    static CommandLine commandLine(Object command) {
        return new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOverwrittenOptionsAllowed(true)
            .setPosixClusteredShortOptionsAllowed(false)
            .setExecutionExceptionHandler((failure, line, result) -> {
                line.getErr().println(message(failure));
                return line.getCommandSpec().exitCodeOnExecutionException();
            });
    }

    /** Returns the arguments followed by those of the configuration file, which therefore take precedence. */
    static String[] withConfigFile(CommandLine line, List<String> arguments) throws IOException {
        CommandLine sub = arguments.isEmpty() ? null : line.getSubcommands().get(arguments.get(0));
        CommandSpec command = (sub == null ? line : sub).getCommandSpec();
        List<String> all = new ArrayList<>(GoArguments.rewrite(arguments, command));
        Path file = configFile(all);
        if (file != null) {
            ConfigFile.Content content = ConfigFile.read(file, command);
            content.unknown().forEach(name -> line.getErr().println(file + ": ignoring the unknown entry '" + name + "'"));
            all.addAll(content.arguments());
        }
        return all.toArray(String[]::new);
    }

    private static @Nullable Path configFile(List<String> arguments) {
        Path file = null;
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals(CONFIG_OPTION) && i + 1 < arguments.size()) {
                file = Path.of(arguments.get(i + 1));
            } else if (argument.startsWith(CONFIG_OPTION + '=')) {
                file = Path.of(argument.substring(CONFIG_OPTION.length() + 1));
            }
        }
        return file;
    }

    /** Starts a tunnel with its log files and metrics, and waits until the process is terminated. */
    static int run(TunnelOptions options, Starter starter) throws IOException, InterruptedException {
        Path logFile = options.logFile();
        if (logFile != null) {
            // Redirects standard error, so that messages of libraries are written to the same file.
            System.setErr(new PrintStream(new FileOutputStream(logFile.toFile(), true), true, StandardCharsets.UTF_8));
        }
        TunnelLog log = new TunnelLog(new PrintWriter(System.err, true, StandardCharsets.UTF_8), options.isQuiet());
        log.info(options.summary());
        if (options.isDefaultKey()) {
            log.info("warning: the default password is public; set --key or the environment variable KCPTUN_KEY");
        }
        RunningTunnel tunnel = starter.start(log);
        try {
            TunnelMetrics.start(options, tunnel, log);
        } catch (IOException failed) {
            tunnel.close();
            throw failed;
        }
        SnmpLog.start(options, tunnel, log);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(tunnel, log), "drain"));
        log.info("ready");
        new CountDownLatch(1).await();
        return 0;
    }

    private static void drain(RunningTunnel tunnel, TunnelLog log) {
        try {
            log.info("draining: " + tunnel.counters().active() + " open streams");
            tunnel.drain();
            log.info("stopped");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            // Exits with code 0, because the JVM would otherwise report the signal by exit code 143.
            Runtime.getRuntime().halt(0);
        }
    }

    private static String message(Throwable failure) {
        String message = failure.getMessage();
        return message != null && !(failure instanceof NoSuchFileException) ? message : failure.toString();
    }

    @Override
    public String[] getVersion() {
        return Launcher.versionOf("kcp tunnel");
    }
}
