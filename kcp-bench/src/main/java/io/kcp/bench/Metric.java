package io.kcp.bench;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** A metric of a run. CPU times are those of both processes unless noted otherwise. */
enum Metric {
    /** Payload throughput in 10<sup>6</sup> bytes per second. */
    MB_S("MB/s", true),
    CPU_MS_MB("CPU ms/MB", false),
    /** Messages of the size of one write. */
    MESSAGES_S("messages/s", true),
    /** CPU time per message; in a fleet, that of the server only. */
    CPU_US_MESSAGE("CPU µs/message", false),
    /** Median round trip of a ping-pong. */
    MEDIAN_US("median µs", false),
    CPU_US_ROUND_TRIP("CPU µs/round trip", false),
    /** CPU time of the server; 1000 is one core. */
    SERVER_CPU_MS_S("server CPU ms/s", false),
    P50_US("p50 µs", false),
    P90_US("p90 µs", false),
    P99_US("p99 µs", false),
    P999_US("p99.9 µs", false),
    MAX_US("max µs", false),
    /** Messages whose echo was not received. */
    LOST("lost", false),
    /** Live heap of the server per session; in Go including stacks. */
    BYTES_SESSION("B/session", false),
    /** Memory of Netty's buffers outside the heap of the server, per session. */
    DIRECT_BYTES_SESSION("direct B/session", false),
    /** Resident memory of the server per session. */
    RESIDENT_BYTES_SESSION("resident B/session", false),
    /** The larger of the two numbers of sessions whose memory is compared. */
    SESSIONS("sessions", true),
    /** Sessions opened, used for one round trip and closed. */
    SESSIONS_S("sessions/s", true),
    /** Spurious retransmissions in the measured time; only for ours. */
    SPURIOUS("spurious", false),
    /** Bytes that our process allocated per datagram sent or received; the higher value of client and server. */
    GARBAGE_BYTES_DATAGRAM("garbage B/datagram", false);

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

    /** Returns the name in results files. */
    @JsonValue
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Formats a value with about three significant digits. */
    static String format(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String pattern = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, pattern, value);
    }
}
