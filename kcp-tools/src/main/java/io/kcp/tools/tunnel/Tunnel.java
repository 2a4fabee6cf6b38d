package io.kcp.tools.tunnel;

import picocli.CommandLine.Command;

/** The tunnel, a sub-command of {@link io.kcp.tools.KcpCommand}. Its own sub-commands are {@link TunnelServer} and {@link TunnelClient}. */
@Command(name = "tunnel", subcommands = {TunnelServer.class, TunnelClient.class}, synopsisSubcommandLabel = "(server | client)",
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
        TunnelLauncher.main(TunnelLauncher.commandLine(new Tunnel()).setCommandName("kcp tunnel"), arguments);
    }
}
