package io.kcp.bench.experiment;

import java.util.Locale;

/** Event from which an overloaded server has to recover. */
enum OverloadEvent {
    /** For some seconds, the clients send several times as many messages. */
    BURST,
    /** The server process is stopped and then continued. */
    STOP;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
