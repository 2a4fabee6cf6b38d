package io.kcp.bench;

import picocli.CommandLine.Option;

/** Command-line options that set how much load a client generates. */
final class WorkloadOptions {

    private static final int BLOCK_BYTES = 16_384;
    private static final int MESSAGE_BYTES = 64;

    @Option(names = "--connections", defaultValue = "1",
        description = "source, echo, pingpong, packets: number of sessions (${DEFAULT-VALUE})")
    int connections;

    @Option(names = "--write-bytes", defaultValue = "0",
        description = "size of one write in bytes (16384 for source and echo, otherwise 64)")
    int writeBytes;

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

    @Option(names = "--rate", defaultValue = "1", description = "fleet, delay: messages per second and session (${DEFAULT-VALUE})")
    double rate;

    @Option(names = "--idle-sessions", defaultValue = "0",
        description = "fleet: additional sessions that stay idle after one round trip (${DEFAULT-VALUE})")
    int idleSessions;

    @Option(names = "--sockets", defaultValue = "0",
        description = "fleet, idle: number of sockets that all sessions share (0: one socket per session, up to the limit of open files)")
    int sockets;

    int blockBytes() {
        return writeBytes > 0 ? writeBytes : BLOCK_BYTES;
    }

    int messageBytes() {
        return writeBytes > 0 ? writeBytes : MESSAGE_BYTES;
    }

    int sessionsOr(int defaultSessions) {
        return sessions > 0 ? sessions : defaultSessions;
    }
}
