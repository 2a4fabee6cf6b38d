package io.kcp.bench.experiment;

import java.util.Locale;

/** Metrics of experiments. CPU times include both server and client unless noted otherwise. */
enum Metric {
    /** Payload throughput in 10<sup>6</sup> bytes per second. */
    MB_S("MB/s", true),
    CPU_MS_MB("CPU ms/MB"),
    /** Messages per second. Each write is one message. */
    MESSAGES_S("messages/s", true),
    /** CPU time per message. Fleet scenarios count only the CPU time of the server. */
    CPU_US_MESSAGE("CPU µs/message"),
    /** CPU time of the server per message outside the kernel. Available on Linux only. */
    USER_US_MESSAGE("user µs/message"),
    /** CPU time of the server per message in the kernel. Available on Linux only. */
    KERNEL_US_MESSAGE("kernel µs/message"),
    /** Median round-trip time of the messages in ping-pong scenarios. */
    MEDIAN_US("median µs"),
    CPU_US_ROUND_TRIP("CPU µs/round trip"),
    /** CPU time of the server in milliseconds per second. A value of 1000 corresponds to one fully used core. */
    SERVER_CPU_MS_S("server CPU ms/s"),
    P50_US("p50 µs"),
    P90_US("p90 µs"),
    P99_US("p99 µs"),
    P999_US("p99.9 µs"),
    MAX_US("max µs"),
    /** Number of messages whose echo was not received. */
    LOST("lost"),
    /** Live heap memory of the server per session, which for Go programs includes stacks. */
    BYTES_SESSION("B/session"),
    /** Direct memory, per session, that Netty's buffers in the server occupy. */
    DIRECT_BYTES_SESSION("direct B/session"),
    /** Resident set size of the server per session. */
    RESIDENT_BYTES_SESSION("resident B/session"),
    /** The larger of the two session counts at which memory is measured. */
    SESSIONS("sessions", true),
    /** Number of sessions that are opened, used for one round trip and closed per second. */
    SESSIONS_S("sessions/s", true),
    /** Number of spurious retransmissions during the measurement. Only this library reports this metric. */
    SPURIOUS("spurious"),
    /** Heap bytes allocated per sent or received datagram, the higher value of client and server. Only this library reports it. */
    GARBAGE_BYTES_DATAGRAM("garbage B/datagram"),

    /**
     * CPU time outside the kernel per operation, which is a write, a message or a round trip. The JIT compilers are left out, because
     * their time depends on the length of the run.
     */
    USER_US_OPERATION("user µs/operation"),
    /** Heap bytes allocated per operation. Only this library reports it. */
    ALLOCATED_BYTES_OPERATION("allocated B/operation"),
    /** System calls of both programs per operation, including those of the JVM. */
    SYSCALLS_OPERATION("system calls/operation"),
    OPERATIONS_S("operations/s", true),

    /** Percentiles of the delivery delay, from the planned sending time to the delivery to the application. */
    P50_MS("p50 ms"),
    P90_MS("p90 ms"),
    P99_MS("p99 ms"),
    /** Messages that were not delivered within 20 s after the last one was sent. */
    MISSING("missing"),
    /** Bytes of IP packets from the client. */
    WIRE_MB_S("wire MB/s"),
    /** Goodput of the other flow on the same link, and the share of the first flow in the sum. */
    RIVAL_MB_S("MB/s of the other"),
    SHARE_PERCENT("share, %", true),
    /** Percentiles of the time that packets to the server waited in the queue of the link, weighted by packets. */
    QUEUE_P50_MS("queue p50 ms"),
    QUEUE_P95_MS("queue p95 ms"),
    /** Share of the packets to the server that the full queue dropped. */
    DROPPED_PERCENT("dropped by queue, %"),
    /** CPU time in percent of one processor. */
    SENDER_CPU_PERCENT("sender CPU, %"),
    RECEIVER_CPU_PERCENT("receiver CPU, %"),
    LINK_CPU_PERCENT("link CPU, %"),
    /** Share of the packets to the server that arrived more than 0.5 ms after the scheduled time. */
    LATE_PERCENT("late, %"),
    /** Milliseconds per second for which processors did not run a waiting thread with real-time priority. */
    STALLED_MS_S("stalled ms/s"),

    /** Time to seal and to open one datagram, and the heap bytes that this library allocates for it. */
    SEAL_NS("seal ns"),
    OPEN_NS("open ns"),
    SEAL_ALLOCATED_BYTES("seal allocated B"),
    OPEN_ALLOCATED_BYTES("open allocated B"),
    /** Data that FEC encodes or reconstructs, in 10<sup>9</sup> bytes per second. */
    GB_S("GB/s", true),

    /** Resident memory of both ends of a tunnel per stream. */
    KIB_STREAM("KiB/stream"),
    RESIDENT_MIB("resident MiB"),

    /** Time from the start of a server process until it is bound. */
    READY_S("ready s"),
    /** Time from the first datagram of a server until a second with 95 % of the steady throughput begins. */
    STEADY_S("95 % s"),
    /** CPU time of a server, and of its JIT compilers, in the first ten seconds. */
    CPU_S_OF_10("CPU s of 10"),
    COMPILER_S_OF_10("JIT s of 10"),
    /** Share of a processor that the C2 compiler uses after 20 seconds. */
    LATE_C2_PERCENT("C2 % >20 s"),
    STEADY_OPERATIONS_S("steady/s", true),

    /** Messages per second that a server can echo, and those that the clients send before and after an overload. */
    SATURATION_S("saturation/s", true),
    OFFERED_S("offered/s", true),
    /** Median and 99th percentile of the delay before an event. */
    QUIET_P50_MS("quiet p50 ms"),
    QUIET_P99_MS("quiet p99 ms"),
    /** Median of the delay of the messages that were sent in the last quarter of a second of an overload. */
    END_P50_MS("end p50 ms"),
    /** Time from the end of an event until the delay was normal; missing if that did not happen. */
    RECOVERY_S("recovery s"),
    /** Longest acceptable recovery: the time that the spare capacity needs for the backlog, with some reserve. */
    RECOVERY_LIMIT_S("limit s"),
    /** Messages that were sent and not echoed at the end of an overload. */
    UNSERVED("unserved"),
    /** Share of retransmissions in the datagrams that the server sent from the start of an overload until the recovery. */
    RETRANSMITTED_PERCENT("retransmitted, %"),
    /** Echoes per second during a burst, in percent of the saturation. */
    GOODPUT_PERCENT("goodput, %", true),
    CLOSED_SESSIONS("closed sessions"),
    CLIENT_RETRANSMITTED_PERCENT("clients' retransmitted, %"),
    /** Datagrams that the kernel discarded because the receive buffer of the server was full. */
    SOCKET_DROPS("socket drops"),

    /** Messages that were echoed more than once. */
    DUPLICATES("duplicates"),
    /** Sessions that legitimate clients opened during an attack, those that made a round trip, and the time until that. */
    NEWCOMERS("newcomers", true),
    OPENED("opened", true),
    OPENING_P95_MS("open p95 ms"),
    /** Peak of the server's resident memory during and after an attack, minus the resident memory before it. */
    RSS_GROWTH_MB("RSS growth MB"),
    PEAK_SESSIONS("peak sessions"),
    MAX_SESSIONS("max sessions"),
    /** Bytes that the server sent to forged addresses per byte sent from them; the largest ratio of a single address. */
    REFLECTION("reflected"),
    WORST_REFLECTION("worst reflected"),
    ATTACK_DATAGRAMS_S("attack datagrams/s", true),
    /** CPU time of the server per second of the attack, where 1 is one fully used core. */
    SERVER_CPU("server CPU");

    private final String label;
    private final boolean higherIsBetter;

    Metric(String label) {
        this(label, false);
    }

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

    /** Returns the name of the metric in result files. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns {@code true} if the metric is a delay that lost messages make longer than all others. A run that lacks it is the worst. */
    boolean missingIsWorst() {
        return switch (this) {
            case P50_US, P90_US, P99_US, P999_US, MAX_US, P50_MS, P90_MS, P99_MS, RECOVERY_S, OPENING_P95_MS -> true;
            default -> false;
        };
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
