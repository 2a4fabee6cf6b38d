package io.kcp.bench;

import picocli.CommandLine.Option;

/** How much a client does. */
final class WorkOptions {

    private static final int BLOCK_BYTES = 16_384;
    private static final int MESSAGE_BYTES = 64;

    @Option(names = "--connections", defaultValue = "1", description = "sessions of source, echo and pingpong (${DEFAULT-VALUE})")
    int connections;

    @Option(names = "--write-bytes", defaultValue = "0",
        description = "size of a write (16384 for source and echo, 64 for the others)")
    int writeBytes;

    @Option(names = "--seconds", defaultValue = "5", description = "measured time (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "2", description = "seconds before it (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--outstanding", defaultValue = "1048576",
        description = "echo: bytes of each session between written and returned (${DEFAULT-VALUE})")
    int outstandingBytes;

    @Option(names = "--count", defaultValue = "20000", description = "pingpong: measured round trips (${DEFAULT-VALUE})")
    int count;

    @Option(names = "--warmup-count", defaultValue = "20000", description = "pingpong: round trips before them (${DEFAULT-VALUE})")
    int warmupCount;

    @Option(names = "--sessions", defaultValue = "0", description = "fleet: sessions (1000); churn: at a time (64)")
    int sessions;

    @Option(names = "--rate", defaultValue = "1", description = "fleet: messages a second of each session (${DEFAULT-VALUE})")
    double rate;

    @Option(names = "--idle-sessions", defaultValue = "0",
        description = "fleet: as many more sessions that do nothing after their first round trip (${DEFAULT-VALUE})")
    int idleSessions;

    @Option(names = "--sockets", defaultValue = "0", description = "fleet and idle: sockets that all sessions share (0: each"
        + " has one of its own, as long as the process may have more files open)")
    int sockets;

    int blockBytes() {
        return writeBytes > 0 ? writeBytes : BLOCK_BYTES;
    }

    int messageBytes() {
        return writeBytes > 0 ? writeBytes : MESSAGE_BYTES;
    }

    int sessions(int unlessTold) {
        return sessions > 0 ? sessions : unlessTold;
    }
}
