package io.kcp.tools.tunnel;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Contains the command-line options of the tunnel server. */
final class ServerOptions {

    private static final int WINDOW_SEGMENTS = 1024;

    @Option(names = {"-l", "--listen"}, paramLabel = "HOST:PORT",
        description = "UDP address to listen on, or a range of ports such as :3000-3010 (default: ${DEFAULT-VALUE}).")
    private String listen = ":29900";

    @Option(names = {"-t", "--target"}, paramLabel = "HOST:PORT|PATH",
        description = "TCP address or Unix domain socket of the target (default: ${DEFAULT-VALUE}).")
    private String target = "127.0.0.1:12948";

    @Option(names = "--proxy-protocol", arity = "0..1", fallbackValue = "true",
        description = "Send a header of the PROXY protocol, version 2, with the client's address to the target.")
    private boolean proxyProtocol;

    @Mixin
    private final TunnelOptions common = new TunnelOptions(WINDOW_SEGMENTS, WINDOW_SEGMENTS);

    /** Checks all options and throws a {@code ParameterException} if one is not valid. */
    void check() {
        common.check();
        common.valid(this::listen);
        common.valid(this::target);
    }

    TunnelOptions common() {
        return common;
    }

    PortRange listen() {
        return PortRange.parse(listen);
    }

    StreamAddress target() {
        return StreamAddress.parse(target);
    }

    boolean proxyProtocol() {
        return proxyProtocol;
    }
}
