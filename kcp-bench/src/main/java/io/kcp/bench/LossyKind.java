package io.kcp.bench;

import java.util.List;

/** What is measured over a lossy link. */
enum LossyKind {

    /** Delivery delay of messages that are fewer than one per interval. */
    DELAY_50("delay-50", 50, 24),
    /** Delivery delay of messages that are so many that later ones tell of a loss. */
    DELAY_500("delay-500", 500, 4),
    /** Bytes delivered to the application. */
    GOODPUT("goodput", 0, 1);

    private final String label;
    private final int ratePerSecond;
    private final int sessions;

    LossyKind(String label, int ratePerSecond, int sessions) {
        this.label = label;
        this.ratePerSecond = ratePerSecond;
        this.sessions = sessions;
    }

    boolean isDelay() {
        return ratePerSecond > 0;
    }

    /** Independent sessions give many samples in a short time, which a machine is more likely to leave alone. */
    List<String> clientOptions() {
        return isDelay()
            ? List.of("--rate", Integer.toString(ratePerSecond), "--sessions", Integer.toString(sessions))
            : List.of();
    }

    static LossyKind parse(String label) {
        for (LossyKind kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no kind " + label);
    }

    @Override
    public String toString() {
        return label;
    }
}
