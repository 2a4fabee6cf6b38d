package io.kcp.bench;

import java.util.Locale;

/** Event from which an overloaded server has to recover. */
enum OverloadEvent {
    /** For some seconds, the clients send several times as many messages. */
    BURST("a burst of messages"),
    /** The server process is stopped and then continued. */
    STOP("a stop of the server");

    private final String title;

    OverloadEvent(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
