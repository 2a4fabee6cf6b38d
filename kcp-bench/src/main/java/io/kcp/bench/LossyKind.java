package io.kcp.bench;

import java.util.List;
import java.util.Locale;

/**
 * Kinds of measurements that {@link LossyLink} makes. Delays are measured in many independent sessions, which give many samples in a
 * short time.
 */
enum LossyKind {

    /** Delivery delay at 50 messages per second. At this rate, most losses are detected by the retransmission timeout. */
    DELAY_50(50, 24),
    /** Delivery delay at 500 messages per second. At this rate, later messages quickly reveal a loss. */
    DELAY_500(500, 4),
    /** Number of bytes per second that reach the receiving application. */
    GOODPUT(0, 1);

    private final int messagesPerSecond;
    private final int sessions;

    LossyKind(int messagesPerSecond, int sessions) {
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

    /** Returns the name that the {@code --kinds} option accepts. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
