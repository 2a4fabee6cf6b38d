package io.kcp.bench;

import picocli.CommandLine.Option;

/** Command-line options that set the duration of runs and the number of idle sessions. */
final class RunDurations {

    /** Number of round trips in the warm-up of a pinned scenario, as a multiple of the measured ones. */
    private static final int PINNED_WARMUPS = 6;

    @Option(names = "--seconds", defaultValue = "6", description = "measured time of a run in seconds (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "4", description = "warm-up in seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--pinned-warmup", defaultValue = "15",
        description = "warm-up in seconds of scenarios that pin server and client to processors (${DEFAULT-VALUE})")
    double pinnedWarmupSeconds;

    @Option(names = "--round-trips", defaultValue = "50000",
        description = "number of ping-pong round trips in the warm-up and in the measurement (${DEFAULT-VALUE})")
    int roundTrips;

    @Option(names = "--idle-seconds", defaultValue = "10", description = "measured time of idle sessions in seconds (${DEFAULT-VALUE})")
    double idleSeconds;

    @Option(names = "--settle", defaultValue = "4",
        description = "seconds to wait after opening many sessions, for acknowledgements and the JIT compiler (${DEFAULT-VALUE})")
    double settleSeconds;

    @Option(names = "--idle-few", defaultValue = "5000", description = "number of idle sessions (${DEFAULT-VALUE})")
    int idleFew;

    @Option(names = "--idle-many", defaultValue = "50000",
        description = "larger number of idle sessions for the memory comparison; other peers open at most 15000 (${DEFAULT-VALUE})")
    int idleMany;

    /** Returns the warm-up of a scenario in seconds. */
    double warmupSeconds(Scenario scenario) {
        return scenario.pinned() ? pinnedWarmupSeconds : warmupSeconds;
    }

    /** Returns the number of ping-pong round trips in the warm-up of a scenario. */
    int warmupRoundTrips(Scenario scenario) {
        return scenario.pinned() ? PINNED_WARMUPS * roundTrips : roundTrips;
    }

    /** Shortens all runs so much that their results are not meaningful. */
    void quicken() {
        seconds = 1.5;
        warmupSeconds = 1.5;
        pinnedWarmupSeconds = 1.5;
        roundTrips = 10_000;
        idleSeconds = 2;
        settleSeconds = 1;
        idleFew = 1_000;
        idleMany = 5_000;
    }
}
