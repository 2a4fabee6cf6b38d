package io.kcp.bench.experiment;

import picocli.CommandLine.Option;

/** Command-line options that set the load and the durations of {@link Overload}. */
final class OverloadOptions {

    @Option(names = "--sessions", defaultValue = "1000", description = "number of sessions (${DEFAULT-VALUE})")
    int sessions;

    @Option(names = "--quiet-seconds", defaultValue = "4", description = "measured seconds before the event (${DEFAULT-VALUE})")
    double quietSeconds;

    @Option(names = "--work-us", defaultValue = "50",
        description = "CPU time of the server's application for each message in microseconds; without it, the clients would be saturated "
            + "before the server (${DEFAULT-VALUE})")
    int workUs;

    @Option(names = "--load", defaultValue = "0.6", description = "share of the saturation that the clients offer (${DEFAULT-VALUE})")
    double load;

    @Option(names = "--burst-factor", defaultValue = "5", description = "factor of the load during the burst (${DEFAULT-VALUE})")
    double burstFactor;

    @Option(names = "--burst-seconds", defaultValue = "3", description = "duration of the burst (${DEFAULT-VALUE})")
    double burstSeconds;

    @Option(names = "--stop-seconds", defaultValue = "2", description = "time for which the server is stopped (${DEFAULT-VALUE})")
    double stopSeconds;

    @Option(names = "--saturation-seconds", defaultValue = "5",
        description = "seconds in which the saturation is measured (${DEFAULT-VALUE})")
    double saturationSeconds;

    @Option(names = "--settle", defaultValue = "4", description = "seconds of normal load before the measurement (${DEFAULT-VALUE})")
    double settleSeconds;

    @Option(names = "--rehearsals", defaultValue = "1",
        description = "number of events before the measured one, because the JIT compiler needs up to half of the server's processor while "
            + "the first event runs; 0 shows a server that has never been overloaded (${DEFAULT-VALUE})")
    int rehearsals;

    @Option(names = "--kcp-go-clients",
        description = "the clients use the timeouts and acknowledgements of kcp-go instead of those of this library")
    boolean kcpGoClients;
}
