package io.kcp.bench;

import io.kcp.netty.KcpCloseReason;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts how the sessions of {@link Soak} ended. Thread-safe. */
final class SoakOutcomes {

    private static final String NO_REASON = "closed without loss";
    /** The reasons of a client whose timeout or whose server's timeout has expired. */
    private static final Set<KcpCloseReason> TIMEOUTS = EnumSet.of(KcpCloseReason.IDLE, KcpCloseReason.PEER_TIMEOUT,
        KcpCloseReason.LINGER_EXPIRED, KcpCloseReason.TRANSMISSIONS_EXHAUSTED, KcpCloseReason.FIRST_MESSAGE_TIMEOUT,
        KcpCloseReason.PEER_CLOSED);

    private final Map<SoakEnding, Map<String, Integer>> counts = new EnumMap<>(SoakEnding.class);
    private final Set<SoakEnding> expected = EnumSet.noneOf(SoakEnding.class);
    private int timeouts;
    private int wrong;
    private int open;
    private @Nullable String firstTimeout;
    private @Nullable String firstWrong;

    synchronized void opened() {
        open++;
    }

    synchronized void ended(SoakEnding ending, @Nullable KcpCloseReason reason, @Nullable Throwable failure) {
        open--;
        String outcome = failure != null ? failure.toString() : reason == null ? NO_REASON : reason.name();
        counts.computeIfAbsent(ending, key -> new TreeMap<>()).merge(outcome, 1, Integer::sum);
        if (failure == null && ending.expects(reason)) {
            expected.add(ending);
        } else if (failure == null && reason != null && TIMEOUTS.contains(reason)) {
            timeouts++;
            firstTimeout = firstTimeout == null ? ending + ": " + outcome : firstTimeout;
        } else {
            wrong++;
            firstWrong = firstWrong == null ? ending + ": " + outcome : firstWrong;
        }
    }

    synchronized int open() {
        return open;
    }

    /** Returns the number of sessions that ended because a timeout expired first. On a busy machine, timeouts expire without a fault. */
    synchronized int timeouts() {
        return timeouts;
    }

    synchronized @Nullable String firstTimeout() {
        return firstTimeout;
    }

    /** Returns the number of sessions that failed, or had a close reason that neither their {@link SoakEnding} nor a timeout explains. */
    synchronized int wrong() {
        return wrong;
    }

    synchronized @Nullable String firstWrong() {
        return firstWrong;
    }

    /** Returns the ways in which sessions were to end, but in which none has ended. */
    synchronized Set<SoakEnding> missing() {
        Set<SoakEnding> missing = EnumSet.noneOf(SoakEnding.class);
        missing.addAll(counts.keySet());
        missing.removeAll(expected);
        return missing;
    }

    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((ending, outcomes) -> text.append(String.format("%-18s %s%n", ending, outcomes)));
        return text.toString();
    }
}
