package io.kcp.bench.rig;

import picocli.CommandLine.Option;

/** Command-line options that set how much load a client generates. */
final class WorkloadOptions {

    /** Default values of {@code --rate} and {@code --sessions}. */
    private static final double DELAY_RATE = 50;
    private static final int FLEET_SESSIONS = 1_000;
    private static final int CHURN_SESSIONS = 64;

    @Option(names = "--connections", defaultValue = "1",
        description = "source, echo, pingpong, packets: number of sessions (${DEFAULT-VALUE})")
    int connections;

    @Option(names = "--max-payload-bytes", defaultValue = "2048",
        description = "packets: largest payload in bytes; sizes are uniformly distributed from 0 to this one (${DEFAULT-VALUE})")
    int maxPayloadBytes;

    @Option(names = "--seconds", defaultValue = "5", description = "measured time in seconds (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "2", description = "warm-up in seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--outstanding", defaultValue = "1048576",
        description = "echo: bytes per session that may be written but not yet returned (${DEFAULT-VALUE})")
    int outstandingBytes;

    @Option(names = "--count", defaultValue = "20000", description = "pingpong: number of measured round trips (${DEFAULT-VALUE})")
    int count;

    @Option(names = "--warmup-count", defaultValue = "20000",
        description = "pingpong: number of round trips before the measurement (${DEFAULT-VALUE})")
    int warmupCount;

    @Option(names = "--sessions", defaultValue = "0",
        description = "number of sessions of fleet (1000) and delay (1), or churn's simultaneous sessions (64)")
    int sessions;

    @Option(names = "--rate", defaultValue = "0", description = "messages per second and session of fleet (1) and delay (50)")
    double rate;

    @Option(names = "--idle-sessions", defaultValue = "0",
        description = "fleet: additional sessions that stay idle after one round trip (${DEFAULT-VALUE})")
    int idleSessions;

    double rate(Work work) {
        return rate > 0 ? rate : work == Work.DELAY ? DELAY_RATE : 1;
    }

    int sessions(Work work) {
        return sessions > 0 ? sessions : work == Work.FLEET ? FLEET_SESSIONS : work == Work.CHURN ? CHURN_SESSIONS : 1;
    }
}
