package io.kcp.tools.tunnel;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Runs a tunnel client, which replaces {@code kcptun-client}. It accepts TCP connections and transfers each of them over a smux
 * stream of a KCP session. The options are those of kcptun.
 */
@Command(name = "client", description = "Accepts TCP connections, and transfers them to a tunnel server over KCP sessions.",
    versionProvider = TunnelLauncher.class)
public final class TunnelClient implements Callable<Integer> {

    @Mixin
    private final ClientOptions options = new ClientOptions();

    /** Creates the command before picocli sets its options. */
    public TunnelClient() {
    }

    /**
     * Runs the command until the process is terminated.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        TunnelLauncher.main(TunnelLauncher.commandLine(new TunnelClient()), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.check();
        return TunnelLauncher.run(options.common(), log -> {
            log.info("server: " + options.remote() + ", sessions: " + options.connections());
            return ClientTunnel.start(options, log);
        });
    }
}
