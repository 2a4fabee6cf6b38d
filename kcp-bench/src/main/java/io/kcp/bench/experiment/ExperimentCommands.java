package io.kcp.bench.experiment;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Command with one subcommand per experiment. */
@Command(name = "experiments", mixinStandardHelpOptions = true,
    description = "Compares this library with other implementations, other protocols or an earlier commit.",
    subcommands = {SideBySide.class, Regression.class, LossyLink.class, LinkComparison.class, Tunnel.class, WarmUp.class, Overload.class,
        Attack.class, Codecs.class})
public final class ExperimentCommands {

    ExperimentCommands() {
    }

    /** Creates the command line. If an option is repeated, the last value counts, so that a script's options can be overridden. */
    public static CommandLine newCommandLine() {
        return new CommandLine(new ExperimentCommands()).setCaseInsensitiveEnumValuesAllowed(true).setOverwrittenOptionsAllowed(true);
    }
}
