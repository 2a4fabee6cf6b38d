package io.kcp.bench;

import picocli.CommandLine.Option;

/** Options of a server of this library. */
final class KcpServerOptions {

    @Option(names = "--max-sessions", defaultValue = "" + LoadOptions.MAX_SESSIONS,
        description = "limit of open sessions (${DEFAULT-VALUE})")
    int maxSessions = LoadOptions.MAX_SESSIONS;

    @Option(names = "--untrusted", description = "trust no address, so that the limits per address also apply to 127.0.0.0/8")
    boolean untrusted;

    @Option(names = "--metrics", description = "read all Micrometer meters once per second, as a Prometheus scrape does")
    boolean metrics;
}
