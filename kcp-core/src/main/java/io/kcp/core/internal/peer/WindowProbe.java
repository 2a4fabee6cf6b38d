package io.kcp.core.internal.peer;

import io.kcp.core.KcpConfig;

/**
 * Schedules WASK segments, which probe the peer's closed window at growing intervals, and WINS segments, which announce this side's window.
 * See sections 2.3 and 2.10 of {@code wire-format.md}.
 */
public final class WindowProbe {

    private boolean askPending;
    private boolean answerPending;
    private boolean updatePending;
    private int initialMs;
    private int limitMs;
    private int waitMs;
    private int askAtMs;

    public void reconfigure(KcpConfig config) {
        initialMs = config.probeInitialMs();
        limitMs = Math.max(config.probeLimitMs(), initialMs);
    }

    public void askNow() {
        askPending = true;
    }

    public void answerNow() {
        answerPending = true;
    }

    /** Schedules the announcement of a grown receive window, which is cancelled if an acknowledgement is sent first. */
    public void updateNow() {
        updatePending = true;
    }

    /** Cancels the announcement of a grown window when an acknowledgement is sent, because every acknowledgement contains the window. */
    public void onAcknowledged() {
        updatePending = false;
    }

    public boolean isPending() {
        return isAskPending() || isAnswerPending();
    }

    public boolean isAskPending() {
        return askPending;
    }

    public boolean isAnswerPending() {
        return answerPending || updatePending;
    }

    public boolean takeAsk() {
        boolean pending = askPending;
        askPending = false;
        return pending;
    }

    public boolean takeAnswer() {
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
    public void onFlush(boolean blocked, int timeMs) {
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

    public boolean isTimerRunning() {
        return waitMs != 0;
    }

    public int msUntilAsk(int timeMs) {
        return Math.max(0, askAtMs - timeMs);
    }
}
