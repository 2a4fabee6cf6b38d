package io.kcp.bench;

import picocli.CommandLine.Option;

/** How long runs take. */
final class RunTimes {

    @Option(names = "--seconds", defaultValue = "6", description = "measured time of a run (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "4", description = "seconds before it (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--round-trips", defaultValue = "50000", description = "of a ping-pong, and before it (${DEFAULT-VALUE})")
    int roundTrips;

    @Option(names = "--idle-seconds", defaultValue = "10", description = "measured time without any load (${DEFAULT-VALUE})")
    double idleSeconds;

    @Option(names = "--settle", defaultValue = "4",
        description = "seconds after many sessions were opened: nothing is unacknowledged, the compiler has done its work"
            + " (${DEFAULT-VALUE})")
    double settleSeconds;

    @Option(names = "--idle-few", defaultValue = "5000", description = "idle sessions (${DEFAULT-VALUE})")
    int idleFew;

    @Option(names = "--idle-many", defaultValue = "50000",
        description = "up to which memory is compared; 15000 at most for others than ours (${DEFAULT-VALUE})")
    int idleMany;

    /** Short runs, whose figures mean little. */
    void quicken() {
        seconds = 1.5;
        warmupSeconds = 1.5;
        roundTrips = 10_000;
        idleSeconds = 2;
        settleSeconds = 1;
        idleFew = 1_000;
        idleMany = 5_000;
    }
}
