package io.kcp.bench;

import java.util.Locale;

/** A figure of a run. */
enum Metric {
    /** Payload, 10<sup>6</sup> bytes. */
    MB_S("MB/s", true),
    /** Both ends. */
    CPU_MS_MB("CPU ms/MB", false),
    /** Of the size that was written. */
    MESSAGES_S("messages/s", true),
    /** Both ends, in the fleet the server alone. */
    CPU_US_MESSAGE("CPU µs/message", false),
    /** Round trip, one at a time. */
    MEDIAN_US("median µs", false),
    /** Both ends. */
    CPU_US_ROUND_TRIP("CPU µs/round trip", false),
    /** Of the server; 1000 is a core. */
    SERVER_CPU_MS_S("server CPU ms/s", false),
    /** Percentiles of a delay. */
    P50_US("p50 µs", false),
    /** See {@link #P50_US}. */
    P90_US("p90 µs", false),
    /** See {@link #P50_US}. */
    P99_US("p99 µs", false),
    /** See {@link #P50_US}. */
    P999_US("p99.9 µs", false),
    /** The longest of all. */
    MAX_US("max µs", false),
    /** Messages that did not come back. */
    LOST("lost", false),
    /** Live memory of the server: heap, in Go the stacks too. */
    BYTES_SESSION("B/session", false),
    /** Memory of the server outside the heap that Netty's buffers hold. */
    DIRECT_BYTES_SESSION("direct B/session", false),
    /** Resident memory of the server. */
    RESIDENT_BYTES_SESSION("resident B/session", false),
    /** Between which numbers of sessions memory was compared. */
    SESSIONS("sessions", true),
    /** Opened, used once, closed. */
    SESSIONS_S("sessions/s", true),
    /** Retransmissions that proved needless, ours only, in the measured time. */
    SPURIOUS("spurious", false),
    /** What a process of ours allocated for each datagram that it sent or received; the worse end. */
    GARBAGE_BYTES_DATAGRAM("garbage B/datagram", false);

    private final String label;
    private final boolean moreIsBetter;

    Metric(String label, boolean moreIsBetter) {
        this.label = label;
        this.moreIsBetter = moreIsBetter;
    }

    String label() {
        return label;
    }

    boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** Its name in files. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Metric ofKey(String key) {
        return valueOf(key.toUpperCase(Locale.ROOT));
    }

    /** A figure with as many digits as mean something. */
    static String format(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "-";
        }
        String pattern = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, pattern, value);
    }
}
