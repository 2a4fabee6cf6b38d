package io.kcp.bench;

import java.util.List;

/** What {@link LossyLink} measures. Delays are measured in many independent sessions, which give many samples in a short time. */
enum LossyKind {

    /** Delivery delay with so few messages that a later message rarely reveals a loss before the retransmission timeout. */
    DELAY_50("delay-50", 50, 24),
    /** Delivery delay with so many messages that later ones reveal a loss quickly. */
    DELAY_500("delay-500", 500, 4),
    /** Bytes per second that reach the application. */
    GOODPUT("goodput", 0, 1);

    private final String label;
    private final int messagesPerSecond;
    private final int sessions;

    LossyKind(String label, int messagesPerSecond, int sessions) {
        this.label = label;
        this.messagesPerSecond = messagesPerSecond;
        this.sessions = sessions;
    }

    boolean isDelay() {
        return messagesPerSecond > 0;
    }

    List<String> clientOptions() {
        return isDelay()
            ? List.of("--rate", Integer.toString(messagesPerSecond), "--sessions", Integer.toString(sessions))
            : List.of();
    }

    /** Returns the value of {@code --kinds}. */
    @Override
    public String toString() {
        return label;
    }
}
