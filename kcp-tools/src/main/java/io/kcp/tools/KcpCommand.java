package io.kcp.tools;

import io.kcp.tools.command.Launcher;
import io.kcp.tools.linkcheck.EchoCommand;
import io.kcp.tools.linkcheck.LinkCheck;
import io.kcp.tools.tunnel.Tunnel;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code kcp} of the runnable jar. */
@Command(name = "kcp", subcommands = {Tunnel.class, LinkCheck.class, EchoCommand.class}, versionProvider = Launcher.class,
    mixinStandardHelpOptions = true, description = "Tools for KCP. Add --help to a command to see its options.")
public final class KcpCommand implements Callable<Integer> {

    private static final String TUNNEL = "tunnel";

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public KcpCommand() {
    }

    /**
     * Runs a sub-command.
     *
     * @param arguments the name of the sub-command and its options
     */
    public static void main(String... arguments) {
        if (arguments.length > 0 && arguments[0].equals(TUNNEL)) {
            // The options of the tunnel are those of a program in Go, which picocli does not parse without help.
            Tunnel.main(Arrays.copyOfRange(arguments, 1, arguments.length));
        } else {
            Launcher.main(new KcpCommand(), arguments);
        }
    }

    /** Prints the sub-commands if none was named. */
    @Override
    public Integer call() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getErr());
        }
        return ExitCode.USAGE;
    }
}
