package io.kcp.bench;

import io.kcp.core.KcpMode;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Command-line options that {@link Attack} and {@link Overload} have in common. Their default values differ. */
abstract class EventOptions {

    @Option(names = "--sessions", description = "number of legitimate sessions (${DEFAULT-VALUE})")
    int sessions;

    @Option(names = "--quiet-seconds", description = "measured seconds before the event (${DEFAULT-VALUE})")
    double quietSeconds;

    @Option(names = "--recovery-seconds", description = "measured seconds after the event (${DEFAULT-VALUE})")
    double recoverySeconds;

    /** Sets the default values. */
    EventOptions(int sessions, double quietSeconds, double recoverySeconds) {
        this.sessions = sessions;
        this.quietSeconds = quietSeconds;
        this.recoverySeconds = recoverySeconds;
    }

    /** Returns the default options of the clients, which use this library in message mode. */
    static LoadOptions messageClients() {
        LoadOptions load = new LoadOptions();
        new CommandLine(load).setCaseInsensitiveEnumValuesAllowed(true).parseArgs();
        load.mode = KcpMode.MESSAGE;
        return load;
    }
}
