package io.kcp.examples;

import picocli.CommandLine.Option;

/** Command-line options that set loss, delay and jitter of the simulated link in both directions. */
final class LinkOptions {

    @SuppressWarnings("unused")
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
    private boolean helpRequested;

    @Option(names = "--loss", paramLabel = "PERCENT", description = "Datagram loss in each direction (default: ${DEFAULT-VALUE}).")
    private double lossPercent = 5;

    @Option(names = "--delay", paramLabel = "MS", description = "Minimum delay in each direction (default: ${DEFAULT-VALUE}).")
    private double delayMs = 25;

    @Option(names = "--jitter", paramLabel = "MS", description = "Maximum additional delay in each direction (default: ${DEFAULT-VALUE}).")
    private double jitterMs;

    @Option(names = "--reorder", paramLabel = "PERCENT",
        description = "Percentage of datagrams delayed so that later ones arrive first (default: ${DEFAULT-VALUE}).")
    private double reorderPercent;

    @Option(names = "--duplicate", paramLabel = "PERCENT", description = "Percentage of datagrams duplicated (default: ${DEFAULT-VALUE}).")
    private double duplicatePercent;

    LinkConditions conditions() {
        return new LinkConditions(lossPercent, delayMs, jitterMs, reorderPercent, duplicatePercent);
    }
}
