package io.kcp.examples.tunnel;

import picocli.CommandLine.Command;

/** Implements the command of the runnable jar. Its sub-commands are {@link TunnelServer} and {@link TunnelClient}. */
@Command(name = "kcp-tunnel", subcommands = {TunnelServer.class, TunnelClient.class}, synopsisSubcommandLabel = "(server | client)",
    description = "A tunnel for TCP connections that is compatible with kcptun.", versionProvider = TunnelLauncher.class,
    mixinStandardHelpOptions = true)
public final class Tunnel {

    /** Creates the command. */
    public Tunnel() {
    }

    /**
     * Runs a sub-command until the process is terminated.
     *
     * @param arguments the name of the sub-command and its options
     */
    public static void main(String... arguments) {
        TunnelLauncher.main(new Tunnel(), arguments);
    }
}
