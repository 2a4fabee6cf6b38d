package io.kcp.bench.experiment;

import java.util.List;
import picocli.CommandLine.Option;

/** Command-line options that set the duration of a scenario and its number of idle sessions, besides those of all experiments. */
final class RunDurations {

    /** Number of round trips in the warm-up of a pinned scenario, as a multiple of the measured ones. */
    private static final int PINNED_WARMUPS = 6;

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

    /** Returns the options of the client that set the length of a run. */
    List<String> clientOptions(Scenario scenario, RunOptions run) {
        return switch (scenario.work()) {
            case IDLE -> List.of();
            case PINGPONG -> List.of("--count", Integer.toString(roundTrips), "--warmup-count",
                Integer.toString(scenario.pinned() ? PINNED_WARMUPS * roundTrips : roundTrips));
            default -> List.of("--seconds", Double.toString(run.seconds), "--warmup",
                Double.toString(scenario.pinned() ? pinnedWarmupSeconds : run.warmupSeconds));
        };
    }
}
