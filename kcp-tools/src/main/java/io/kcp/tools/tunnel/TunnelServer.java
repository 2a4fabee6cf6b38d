package io.kcp.tools.tunnel;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Runs a tunnel server, which replaces {@code kcptun-server}. It accepts KCP sessions and connects each of their smux streams to a
 * target. The options are those of kcptun.
 */
@Command(name = "server",
    description = "Accepts KCP sessions of tunnel clients, and connects their streams to a TCP or Unix domain socket.",
    versionProvider = TunnelLauncher.class)
public final class TunnelServer implements Callable<Integer> {

    @Mixin
    private final ServerOptions options = new ServerOptions();

    /** Creates the command before picocli sets its options. */
    public TunnelServer() {
    }

    /**
     * Runs the command until the process is terminated.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        TunnelLauncher.main(TunnelLauncher.commandLine(new TunnelServer()), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.check();
        return TunnelLauncher.run(options.common(), log -> {
            log.info("target: " + options.target() + (options.proxyProtocol() ? " with the PROXY protocol" : ""));
            return ServerTunnel.start(options, log);
        });
    }
}
