package io.kcp.bench;

import static io.kcp.bench.Criterion.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Measured effects of one attack on one server. Values that a server does not report are NaN.
 *
 * @param lost              messages of the live sessions that were not echoed
 * @param duplicates        messages that were echoed more than once
 * @param closedSessions    live sessions that were closed
 * @param newcomers         sessions that legitimate clients opened during the attack
 * @param opened            the number of these sessions that made a round trip
 * @param openingP95Ms      95th percentile of the time until the first round trip; for QUIC, the time until all sessions have made a round
 *                          trip
 * @param rssGrowthMb       peak of the resident memory during and after the attack, minus the resident memory before it, in 10^6 bytes
 * @param peakSessions      maximum number of open sessions
 * @param maxSessions       configured limit of open sessions, 0 if there is none
 * @param reflection        bytes that the server sent to forged addresses per byte sent from them
 * @param worstReflection   largest value of {@code reflection} for a single forged address
 * @param recoverySeconds   time from the end of the attack until a second began in which the delay was normal
 * @param datagramsPerSecond datagrams of the attack per second
 * @param serverCpu         CPU time of the server per second of the attack, where 1 is one fully used core
 * @param hostCpuPercent    share of this machine's CPU time that the host of the virtual machine took during the measurement
 * @param failure           the reason why the server exited or the run failed, otherwise null
 * @param stats             statistics of the server after the attack, if it reports any
 */
record AttackResult(String server, AttackKind attack, int sent, int lost, long duplicates, int closedSessions, double quietP50Ms,
    double quietP99Ms, double p50Ms, double p99Ms, int newcomers, int opened, double openingP95Ms, double rssGrowthMb,
    double peakSessions, int maxSessions, double reflection, double worstReflection, double recoverySeconds, double datagramsPerSecond,
    double serverCpu, double hostCpuPercent, @Nullable String failure, @Nullable JsonNode stats) implements EventResult {

    private static final double MAX_FACTOR = 2;
    private static final double MAX_ADDED_MS = 5;
    private static final double MAX_RSS_GROWTH_MB = 64;
    private static final double MAX_REFLECTION = 3;
    private static final double MAX_RECOVERY_SECONDS = 2;
    private static final String ROW = "%-9s %-13s %6s %13s %15s %9s %9s %8s %9s %9s %8s %8s %5s %s%n";

    /** Creates the result of a run that failed before its end. */
    static AttackResult failed(String server, AttackKind attack, int maxSessions, String failure) {
        double unknown = Double.NaN;
        return new AttackResult(server, attack, 0, 0, 0, 0, unknown, unknown, unknown, unknown, 0, 0, unknown, unknown, unknown,
            maxSessions, unknown, unknown, unknown, unknown, unknown, unknown, failure, null);
    }

    /** Returns the highest 99th percentile of the delay that is considered normal. */
    static double maxP99Ms(double quietP99Ms) {
        return Math.max(MAX_FACTOR * quietP99Ms, quietP99Ms + MAX_ADDED_MS);
    }

    @Override
    public String eventName() {
        return attack.title();
    }

    @Override
    public List<Criterion> criteria() {
        List<Criterion> criteria = new ArrayList<>();
        if (failure == null) {
            criteria.add(Criterion.atMost("messages lost", lost, 0));
            criteria.add(Criterion.atMost("p99 in ms", p99Ms, maxP99Ms(quietP99Ms)));
            criteria.add(Criterion.atMost("new sessions that failed", newcomers - opened, 0));
            criteria.add(Criterion.atMost("RSS growth in MB", rssGrowthMb, MAX_RSS_GROWTH_MB));
            if (maxSessions > 0) {
                criteria.add(Criterion.atMost("sessions at the peak", peakSessions, maxSessions));
            }
            criteria.add(Criterion.atMost("reflected bytes per byte", worstReflection, MAX_REFLECTION));
            criteria.add(Criterion.atMost("recovery in s", recoverySeconds, MAX_RECOVERY_SECONDS));
        }
        return criteria;
    }

    boolean isReached() {
        return failure == null && missed().isEmpty();
    }

    /** Returns the header of the table whose rows are returned by {@link #row()}. */
    static String head() {
        return String.format(Locale.ROOT, ROW, "server", "attack", "lost", "quiet p50/p99", "attack p50/p99", "opened", "open p95",
            "RSS+MB", "sessions", "reflected", "recovery", "pps", "CPU", "");
    }

    /** Returns one row of the table. Delays are in milliseconds. */
    @Override
    public String row() {
        String verdict = isReached() ? "REACHED" : "NOT REACHED";
        if (failure != null) {
            return String.format(Locale.ROOT, "%-9s %-13s %s: %s%n", server, attack, verdict, failure);
        }
        return String.format(Locale.ROOT, ROW, server, attack, lost, format(quietP50Ms) + '/' + format(quietP99Ms),
            format(p50Ms) + '/' + format(p99Ms), opened + "/" + newcomers, format(openingP95Ms), format(rssGrowthMb), format(peakSessions),
            format(worstReflection), format(recoverySeconds), format(datagramsPerSecond), format(serverCpu),
            verdict + "  " + StolenTime.text(hostCpuPercent));
    }
}
