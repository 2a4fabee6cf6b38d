package io.kcp.core;

/**
 * Schedules WASK segments, which probe the peer's closed window at growing intervals, and WINS segments, which announce this side's window.
 * See sections 2.3 and 2.10 of {@code wire-format.md}.
 */
final class WindowProbe {

    private boolean askPending;
    private boolean answerPending;
    private boolean updatePending;
    private int initialMs;
    private int limitMs;
    private int waitMs;
    private int askAtMs;

    void reconfigure(KcpConfig config) {
        initialMs = config.probeInitialMs();
        limitMs = Math.max(config.probeLimitMs(), initialMs);
    }

    void askNow() {
        askPending = true;
    }

    void answerNow() {
        answerPending = true;
    }

    /** Schedules the announcement of a grown receive window, which is cancelled if an acknowledgement is sent first. */
    void updateNow() {
        updatePending = true;
    }

    /** Cancels the announcement of a grown window when an acknowledgement is sent, because every acknowledgement contains the window. */
    void onAcknowledged() {
        updatePending = false;
    }

    boolean isPending() {
        return isAskPending() || isAnswerPending();
    }

    boolean isAskPending() {
        return askPending;
    }

    boolean isAnswerPending() {
        return answerPending || updatePending;
    }

    boolean takeAsk() {
        boolean pending = askPending;
        askPending = false;
        return pending;
    }

    boolean takeAnswer() {
        boolean pending = isAnswerPending();
        answerPending = false;
        updatePending = false;
        return pending;
    }

    /**
     * Starts, advances or stops the timer of the window probes.
     *
     * @param blocked {@code true} if nothing can be sent before a segment from the peer arrives
     */
    void onFlush(boolean blocked, int timeMs) {
        if (!blocked) {
            waitMs = 0;
        } else if (waitMs == 0) {
            waitMs = initialMs;
            askAtMs = timeMs + waitMs;
        } else if (timeMs - askAtMs >= 0) {
            waitMs = Math.min(waitMs + (waitMs >> 1), limitMs);
            askAtMs = timeMs + waitMs;
            askPending = true;
        }
    }

    boolean isTimerRunning() {
        return waitMs != 0;
    }

    int msUntilAsk(int timeMs) {
        return Math.max(0, askAtMs - timeMs);
    }
}
