package io.kcp.examples;

import picocli.CommandLine.Option;

/** Command-line options that set loss, delay and jitter of the simulated link in both directions. */
final class LinkOptions {

    @SuppressWarnings("unused")
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this and end.")
    private boolean helpRequested;

    @Option(names = "--loss", paramLabel = "PERCENT", description = "Datagrams lost each way (default: ${DEFAULT-VALUE}).")
    private double lossPercent = 5;

    @Option(names = "--delay", paramLabel = "MS", description = "Least delay each way (default: ${DEFAULT-VALUE}).")
    private double delayMs = 25;

    @Option(names = "--jitter", paramLabel = "MS", description = "How much longer it may take (default: ${DEFAULT-VALUE}).")
    private double jitterMs;

    @Option(names = "--reorder", paramLabel = "PERCENT",
        description = "Datagrams held back so that others overtake them (default: ${DEFAULT-VALUE}).")
    private double reorderPercent;

    @Option(names = "--duplicate", paramLabel = "PERCENT", description = "Datagrams doubled (default: ${DEFAULT-VALUE}).")
    private double duplicatePercent;

    LinkConditions conditions() {
        return new LinkConditions(lossPercent, delayMs, jitterMs, reorderPercent, duplicatePercent);
    }
}
