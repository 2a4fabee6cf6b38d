package io.kcp.bench.experiment;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Records the delays of messages that are sent at equal intervals. A message is identified by its scheduled time, so that the delays and
 * the number of lost messages can be computed for any period. A delay begins when the message is sent. It does not include the time by
 * which a client is behind its schedule, because the attacker on the same processor causes that delay, not the server. Thread-safe.
 */
final class DelayTimeline {

    /**
     * Delays of the messages that were scheduled in one period. A message that was never echoed counts as lost, and its delay counts as
     * infinite.
     */
    record Part(int sent, int lost, double p50Ms, double p99Ms, double maxMs) {
    }

    private static final double NS_PER_MS = 1e6;
    private static final long NS_PER_SECOND = 1_000_000_000;
    /**
     * Length of one step of {@link #recoverySeconds}. The server has recovered when {@value #STEPS} consecutive steps had no long delays.
     */
    private static final long STEP_NS = NS_PER_SECOND / 4;
    private static final int STEPS = 4;
    private static final int INITIAL_MESSAGES = 1 << 16;

    private final long startNs;
    private final long intervalNs;
    private long[] delaysNs = new long[INITIAL_MESSAGES];
    private long[] lateNs = new long[INITIAL_MESSAGES];
    private int sent;
    private long duplicates;

    DelayTimeline(long startNs, long intervalNs) {
        this.startNs = startNs;
        this.intervalNs = intervalNs;
    }

    /** Returns the scheduled time of the next message. */
    synchronized long nextNs() {
        return startNs + sent * intervalNs;
    }

    /** Records that the caller sends the next message now, and returns the number of that message. */
    synchronized int sent(long nowNs) {
        if (sent == lateNs.length) {
            lateNs = Arrays.copyOf(lateNs, 2 * lateNs.length);
        }
        lateNs[sent] = Math.max(0, nowNs - nextNs());
        return sent++;
    }

    /** Records that the echo of a message has arrived. */
    synchronized void returned(long scheduledNs, long nowNs) {
        int index = (int) ((scheduledNs - startNs) / intervalNs);
        if (index >= delaysNs.length) {
            delaysNs = Arrays.copyOf(delaysNs, Math.max(2 * delaysNs.length, index + 1));
        }
        duplicates += delaysNs[index] == 0 ? 0 : 1;
        delaysNs[index] = Math.max(1, nowNs - scheduledNs - lateNs[index]);
    }

    /** Returns the number of echoes that arrived although their message had already been echoed. */
    synchronized long duplicates() {
        return duplicates;
    }

    /** Returns {@code true} if each message that was scheduled before the given time has been echoed. */
    synchronized boolean hasAllUntil(long ns) {
        return index(ns) <= sent && part(startNs, ns).lost == 0;
    }

    /** Returns the delays of all messages that were scheduled between two points in time. */
    synchronized Part part(long fromNs, long untilNs) {
        int from = Math.min(index(fromNs), sent);
        int until = Math.min(index(untilNs), sent);
        int count = Math.max(0, until - from);
        long[] part = new long[count];
        int lost = 0;
        for (int i = 0; i < count; i++) {
            long delay = from + i < delaysNs.length ? delaysNs[from + i] : 0;
            lost += delay == 0 ? 1 : 0;
            part[i] = delay == 0 ? Long.MAX_VALUE : delay;
        }
        Arrays.sort(part);
        return new Part(count, lost, quantileMs(part, 0.5), quantileMs(part, 0.99), quantileMs(part, 1));
    }

    /**
     * Returns the time until the start of the first second in which the 99th percentile of the delay was at most the given value in each
     * quarter of a second. Returns infinity if there is no such second.
     */
    synchronized double recoverySeconds(long fromNs, long untilNs, double maxP99Ms) {
        return recoverySeconds(fromNs, untilNs, part -> part.p99Ms <= maxP99Ms);
    }

    private double recoverySeconds(long fromNs, long untilNs, Predicate<Part> isNormal) {
        int good = 0;
        for (long ns = fromNs; ns + STEP_NS <= untilNs; ns += STEP_NS) {
            good = isNormal.test(part(ns, ns + STEP_NS)) ? good + 1 : 0;
            if (good == STEPS) {
                return (ns + STEP_NS - STEPS * STEP_NS - fromNs) / (double) NS_PER_SECOND;
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    /** Returns the number of messages that were sent before the given time and echoed after it or never. */
    synchronized int outstandingAt(long ns) {
        int outstanding = 0;
        for (int i = 0; i < Math.min(index(ns), sent); i++) {
            long sentNs = startNs + i * intervalNs + lateNs[i];
            long delay = i < delaysNs.length ? delaysNs[i] : 0;
            outstanding += sentNs <= ns && (delay == 0 || sentNs + delay > ns) ? 1 : 0;
        }
        return outstanding;
    }

    /** Returns the number of messages whose echo arrived between two points in time. */
    synchronized int returnedBetween(long fromNs, long untilNs) {
        int returned = 0;
        for (int i = 0; i < Math.min(sent, delaysNs.length); i++) {
            long returnedNs = startNs + i * intervalNs + lateNs[i] + delaysNs[i];
            returned += delaysNs[i] != 0 && returnedNs >= fromNs && returnedNs < untilNs ? 1 : 0;
        }
        return returned;
    }

    /**
     * Returns the time until the start of the first second in which the median of the delay was at most the given value in each quarter of
     * a second. Returns infinity if there is no such second.
     */
    synchronized double medianRecoverySeconds(long fromNs, long untilNs, double maxP50Ms) {
        return recoverySeconds(fromNs, untilNs, part -> part.p50Ms <= maxP50Ms);
    }

    private int index(long ns) {
        return (int) Math.max(0, (ns - startNs + intervalNs - 1) / intervalNs);
    }

    private static double quantileMs(long[] sorted, double quantile) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        long ns = sorted[Math.max(0, (int) Math.ceil(quantile * sorted.length) - 1)];
        return ns == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : ns / NS_PER_MS;
    }
}
