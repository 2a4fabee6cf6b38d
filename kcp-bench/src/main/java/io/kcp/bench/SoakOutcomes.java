package io.kcp.bench;

import io.kcp.netty.KcpCloseReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts how the sessions of {@link Soak} ended. Thread-safe. */
final class SoakOutcomes {

    private static final String NO_REASON = "closed without loss";

    private final Map<SoakEnding, Map<String, Integer>> counts = new EnumMap<>(SoakEnding.class);
    private int unexpected;
    private int open;
    private @Nullable String firstUnexpected;

    synchronized void opened() {
        open++;
    }

    synchronized void ended(SoakEnding ending, @Nullable KcpCloseReason reason, @Nullable Throwable failure) {
        open--;
        String outcome = failure != null ? failure.toString() : reason == null ? NO_REASON : reason.name();
        counts.computeIfAbsent(ending, key -> new TreeMap<>()).merge(outcome, 1, Integer::sum);
        if (failure != null || !ending.expects(reason)) {
            unexpected++;
            if (firstUnexpected == null) {
                firstUnexpected = ending + ": " + outcome;
            }
        }
    }

    synchronized int open() {
        return open;
    }

    /** Returns the number of sessions that failed or had another close reason than those of their {@link SoakEnding}. */
    synchronized int unexpected() {
        return unexpected;
    }

    synchronized @Nullable String firstUnexpected() {
        return firstUnexpected;
    }

    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((ending, outcomes) -> text.append(String.format("%-18s %s%n", ending, outcomes)));
        return text.toString();
    }
}
