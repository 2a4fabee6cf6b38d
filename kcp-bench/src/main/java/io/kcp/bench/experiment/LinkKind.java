package io.kcp.bench.experiment;

import java.util.List;
import java.util.Locale;

/** What is measured over an emulated link. Delays are measured in many independent sessions, which give many samples in a short time. */
enum LinkKind {

    /** Delivery delay at 50 messages per second. At this rate, most losses are detected by the retransmission timeout. */
    DELAY_50(50, 24),
    /** Delivery delay at 500 messages per second. At this rate, later messages quickly reveal a loss. */
    DELAY_500(500, 4),
    /** Number of bytes per second that reach the receiving application. */
    GOODPUT(0, 1);

    private final int messagesPerSecond;
    private final int sessions;

    LinkKind(int messagesPerSecond, int sessions) {
        this.messagesPerSecond = messagesPerSecond;
        this.sessions = sessions;
    }

    boolean isDelay() {
        return messagesPerSecond > 0;
    }

    List<Metric> metrics() {
        return isDelay() ? List.of(Metric.P99_MS, Metric.P50_MS, Metric.P90_MS, Metric.MISSING, Metric.WIRE_MB_S, Metric.STALLED_MS_S)
            : List.of(Metric.MB_S, Metric.RIVAL_MB_S, Metric.SHARE_PERCENT, Metric.QUEUE_P50_MS, Metric.QUEUE_P95_MS,
                Metric.DROPPED_PERCENT, Metric.WIRE_MB_S, Metric.SENDER_CPU_PERCENT, Metric.RECEIVER_CPU_PERCENT, Metric.STALLED_MS_S);
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
