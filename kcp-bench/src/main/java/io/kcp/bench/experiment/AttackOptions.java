package io.kcp.bench.experiment;

import picocli.CommandLine.Option;

/** Command-line options that set the size and the duration of each attack. */
final class AttackOptions {

    @Option(names = "--sessions", defaultValue = "200", description = "number of legitimate sessions (${DEFAULT-VALUE})")
    int sessions;

    @Option(names = "--quiet-seconds", defaultValue = "5", description = "measured seconds before the attack (${DEFAULT-VALUE})")
    double quietSeconds;

    @Option(names = "--recovery-seconds", defaultValue = "5", description = "measured seconds after the attack (${DEFAULT-VALUE})")
    double recoverySeconds;

    @Option(names = "--rate", defaultValue = "20", description = "messages per second of each legitimate session (${DEFAULT-VALUE})")
    double rate;

    @Option(names = "--newcomers", defaultValue = "200",
        description = "legitimate sessions that are opened during the attack (${DEFAULT-VALUE})")
    int newcomers;

    @Option(names = "--rehearsal-seconds", defaultValue = "15",
        description = "duration of the same attack before the measurement, which makes a JVM compile the code; with 0, the result shows a "
            + "server that is attacked for the first time since its start (${DEFAULT-VALUE})")
    double rehearsalSeconds;

    @Option(names = "--sources", defaultValue = "6000", description = "forged addresses of a flood, each with a socket (${DEFAULT-VALUE})")
    int sources;

    @Option(names = "--rate-factor", defaultValue = "1",
        description = "factor for the number of datagrams per second of all attacks (${DEFAULT-VALUE})")
    double rateFactor;

    @Option(names = "--same-priority",
        description = "run the attacker's thread at the priority of the clients, whose delays are then longer")
    boolean samePriority;

    @Option(names = "--max-sessions", defaultValue = "8192",
        description = "maxSessions of this library's server; the default is that of a heap of 128 MiB (${DEFAULT-VALUE})")
    int maxSessions;

    @Option(names = "--max-server-mb", defaultValue = "3000",
        description = "kill a server that uses more than this many MB of memory (${DEFAULT-VALUE})")
    int maxServerMb;

    long maxServerBytes() {
        return maxServerMb * 1_000_000L;
    }
}
