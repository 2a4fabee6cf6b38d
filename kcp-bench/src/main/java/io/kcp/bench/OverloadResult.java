package io.kcp.bench;

import static io.kcp.bench.Criterion.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measured effects of one event on one server. Values that are unknown are NaN, and the recovery of a server that did not recover is
 * infinite.
 *
 * @param saturation        messages per second that the server can echo
 * @param rate              messages per second that the clients send without the event
 * @param quietP50Ms        median of the delay before the event
 * @param endP50Ms          median of the delay of the messages that were sent in the last quarter of a second of the event
 * @param recoverySeconds   time from the end of the event until a second began in which the median was normal
 * @param unserved          messages that were sent and not echoed at the end of the event
 * @param retransmitted     share of retransmissions in the datagrams that the server sent from the start of the event until the recovery
 * @param burstGoodput      echoes per second during the burst
 * @param lostSessions      sessions that were closed
 * @param lostMessages      messages that were never echoed
 * @param clientRetransmitted share of retransmissions in the datagrams that the clients sent during and after the event
 * @param drops             datagrams that the kernel discarded because the receive buffer of the server was full
 * @param hostCpuPercent    share of this machine's CPU time that the host of the virtual machine took during the measurement
 * @param p50               median of the delay over time
 * @param failure           the reason why the run failed, otherwise null
 */
record OverloadResult(String server, OverloadEvent event, double saturation, double rate, double quietP50Ms, double endP50Ms,
    double recoverySeconds, int unserved, double retransmitted, double burstGoodput, int lostSessions, int lostMessages,
    double clientRetransmitted, long drops, double hostCpuPercent, List<Point> p50, @Nullable String failure)
    implements EventResult {

    /** Median of the delay in one step. The time is relative to the start of the event. */
    record Point(double seconds, double p50Ms) {
    }

    /** The median of the delay is normal if it is at most this many times the median before the event. */
    static final double MAX_P50_FACTOR = 1.5;

    private static final double BACKLOG_FACTOR = 1.2;
    private static final double ADDED_SECONDS = 1;
    private static final double MAX_RETRANSMITTED = 0.1;
    private static final double MIN_GOODPUT = 0.9;
    private static final String ROW = "%-9s %-6s %10s %9s %9s %9s %9s %9s %9s %9s %8s %8s %9s %9s %s%n";

    static OverloadResult failed(String server, OverloadEvent event, String failure) {
        double unknown = Double.NaN;
        return new OverloadResult(server, event, unknown, unknown, unknown, unknown, unknown, 0, unknown, unknown, 0, 0, unknown, 0,
            unknown, List.of(), failure);
    }

    /** Returns the longest acceptable recovery: the time that the spare capacity needs for the backlog, with some reserve. */
    double maxRecoverySeconds() {
        return BACKLOG_FACTOR * unserved / (saturation - rate) + ADDED_SECONDS;
    }

    @Override
    public String eventName() {
        return event.toString();
    }

    @Override
    public List<Criterion> criteria() {
        List<Criterion> criteria = new ArrayList<>();
        criteria.add(new Criterion("recovery in s", recoverySeconds, maxRecoverySeconds(), recoverySeconds <= maxRecoverySeconds()));
        criteria.add(new Criterion("retransmitted share", retransmitted, MAX_RETRANSMITTED, retransmitted <= MAX_RETRANSMITTED));
        if (!Double.isNaN(burstGoodput)) {
            double share = burstGoodput / saturation;
            criteria.add(new Criterion("goodput during the burst, share of saturation", share, MIN_GOODPUT, share >= MIN_GOODPUT));
        }
        criteria.add(new Criterion("sessions lost", lostSessions, 0, lostSessions == 0));
        return criteria;
    }

    /** Returns the header of the table whose rows are returned by {@link #row()}. */
    static String head() {
        return String.format(Locale.ROOT, ROW, "server", "event", "saturation", "p50 ms", "p50 end", "recovery", "limit", "unserved",
            "retrans %", "goodput %", "sessions", "messages", "clients %", "drops", "");
    }

    /** Returns this result as a row of the overload table. Delays are in milliseconds. Only lost sessions and messages are counted. */
    @Override
    public String row() {
        if (failure != null) {
            return String.format(Locale.ROOT, "%-9s %-6s FAILED: %s%n", server, event, failure);
        }
        return String.format(Locale.ROOT, ROW, server, event, format(saturation), format(quietP50Ms),
            format(endP50Ms), format(recoverySeconds), format(maxRecoverySeconds()), unserved,
            format(100 * retransmitted), format(100 * burstGoodput / saturation), lostSessions, lostMessages,
            format(100 * clientRetransmitted), drops,
            (missed().isEmpty() ? "REACHED" : "NOT REACHED") + "  " + StolenTime.text(hostCpuPercent));
    }
}
