package io.kcp.examples.arena.cluster;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Messages of users that are under way to Redis. When a connection breaks, what is sent again may be overtaken by what came later,
 * and Redis sees a gap that the user did not make. This tells such gaps from others. From any thread.
 */
final class Outstanding {

    /** Consecutive numbers of one user, none of them skipped, and how many of them have no answer yet. */
    private record Run(long first, long last, int unanswered) {
    }

    private final ConcurrentMap<String, Run> runs = new ConcurrentHashMap<>();

    /** A message is sent. */
    void onSent(String user, long sequence) {
        runs.compute(user, (same, run) -> run == null || sequence < run.first || sequence > run.last + 1
            ? new Run(sequence, sequence, run == null ? 1 : run.unanswered + 1)
            : new Run(run.first, Math.max(run.last, sequence), run.unanswered + 1));
    }

    /** A message has an answer, of whatever kind. */
    void onAnswered(String user) {
        runs.computeIfPresent(user, (same, run) -> run.unanswered == 1 ? null : new Run(run.first, run.last, run.unanswered - 1));
    }

    /** Tells whether a message that Redis misses was sent from here; to be asked before its follower counts as answered. */
    boolean wasSent(String user, long sequence) {
        Run run = runs.get(user);
        return run != null && sequence >= run.first && sequence <= run.last;
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }
}
