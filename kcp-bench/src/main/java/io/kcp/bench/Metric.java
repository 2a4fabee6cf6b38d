package io.kcp.bench;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Metrics of a benchmark run. CPU times include both server and client unless noted otherwise. */
enum Metric {
    /** Payload throughput in 10<sup>6</sup> bytes per second. */
    MB_S("MB/s", true),
    CPU_MS_MB("CPU ms/MB", false),
    /** Messages per second. Each write is one message. */
    MESSAGES_S("messages/s", true),
    /** CPU time per message. Fleet scenarios count only the CPU time of the server. */
    CPU_US_MESSAGE("CPU µs/message", false),
    /** CPU time of the server per message outside the kernel. Available on Linux only. */
    USER_US_MESSAGE("user µs/message", false),
    /** CPU time of the server per message in the kernel. Available on Linux only. */
    KERNEL_US_MESSAGE("kernel µs/message", false),
    /** Median round-trip time of the messages in ping-pong scenarios. */
    MEDIAN_US("median µs", false),
    CPU_US_ROUND_TRIP("CPU µs/round trip", false),
    /** CPU time of the server in milliseconds per second. A value of 1000 corresponds to one fully used core. */
    SERVER_CPU_MS_S("server CPU ms/s", false),
    P50_US("p50 µs", false),
    P90_US("p90 µs", false),
    P99_US("p99 µs", false),
    P999_US("p99.9 µs", false),
    MAX_US("max µs", false),
    /** Number of messages whose echo was not received. */
    LOST("lost", false),
    /** Live heap memory of the server per session, which for Go programs includes stacks. */
    BYTES_SESSION("B/session", false),
    /** Direct memory, per session, that Netty's buffers in the server occupy. */
    DIRECT_BYTES_SESSION("direct B/session", false),
    /** Resident set size of the server per session. */
    RESIDENT_BYTES_SESSION("resident B/session", false),
    /** The larger of the two session counts at which memory is measured. */
    SESSIONS("sessions", true),
    /** Number of sessions that are opened, used for one round trip and closed per second. */
    SESSIONS_S("sessions/s", true),
    /** Number of spurious retransmissions during the measurement. Only this library reports this metric. */
    SPURIOUS("spurious", false),
    /**
     * Number of heap bytes that are allocated per sent or received datagram. This metric is the higher value of client and server, and only
     * this library reports it.
     */
    GARBAGE_BYTES_DATAGRAM("garbage B/datagram", false),
    /** Share of this machine's CPU time that the host of the virtual machine took during the measurement. Available on Linux only. */
    HOST_CPU_PERCENT("CPU taken by host, %", false);

    private final String label;
    private final boolean higherIsBetter;

    Metric(String label, boolean higherIsBetter) {
        this.label = label;
        this.higherIsBetter = higherIsBetter;
    }

    String label() {
        return label;
    }

    boolean higherIsBetter() {
        return higherIsBetter;
    }

    /** Returns the name of the metric in results files. */
    @JsonValue
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Formats a value of a metric with about three significant digits. */
    static String format(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String pattern = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, pattern, value);
    }
}
