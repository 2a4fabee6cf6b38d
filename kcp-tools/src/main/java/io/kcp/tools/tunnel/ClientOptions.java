package io.kcp.tools.tunnel;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Contains the command-line options of the tunnel client. */
final class ClientOptions {

    private static final int SEND_WINDOW_SEGMENTS = 128;
    private static final int RECEIVE_WINDOW_SEGMENTS = 512;
    private static final int MAX_CONNECTIONS = 65_535;

    @Option(names = {"-l", "--localaddr"}, paramLabel = "HOST:PORT|PATH",
        description = "TCP address or Unix domain socket to listen on (default: ${DEFAULT-VALUE}).")
    private String local = ":12948";

    @Option(names = {"-r", "--remoteaddr"}, paramLabel = "HOST:PORT",
        description = "UDP address of the server, or a range of ports such as vps:3000-3010 (default: ${DEFAULT-VALUE}).")
    private String remote = "vps:29900";

    @Option(names = "--conn", paramLabel = "N", description = "Number of sessions (default: ${DEFAULT-VALUE}).")
    private int connections = 1;

    @Option(names = "--autoexpire", paramLabel = "SECONDS",
        description = "Time after which a session gets no further streams, 0 for never (default: ${DEFAULT-VALUE}).")
    private int autoExpire;

    @Option(names = "--scavengettl", paramLabel = "SECONDS",
        description = "Time after which an expired session is closed even if it has streams (default: ${DEFAULT-VALUE}).")
    private int scavengeTtl = 600;

    @Mixin
    private final TunnelOptions common = new TunnelOptions(SEND_WINDOW_SEGMENTS, RECEIVE_WINDOW_SEGMENTS);

    /** Checks all options and throws a {@code ParameterException} if one is not valid. */
    void check() {
        common.check();
        common.range("--conn", connections, 1, MAX_CONNECTIONS);
        common.range("--autoexpire", autoExpire, 0, Integer.MAX_VALUE);
        common.range("--scavengettl", scavengeTtl, -1, Integer.MAX_VALUE);
        common.valid(this::local);
        if (common.valid(this::remote).firstPort() == 0) {
            throw common.error("--remoteaddr: " + remote + " (expected: a port from 1 to 65535)");
        }
    }

    TunnelOptions common() {
        return common;
    }

    StreamAddress local() {
        return StreamAddress.parse(local);
    }

    PortRange remote() {
        return PortRange.parse(remote);
    }

    int connections() {
        return connections;
    }

    int autoExpireSeconds() {
        return autoExpire;
    }

    /** Returns the maximum time that an expired session stays open. As in kcptun, a value of -1 means no limit. */
    int scavengeSeconds() {
        return scavengeTtl < 0 ? Integer.MAX_VALUE : scavengeTtl;
    }
}
