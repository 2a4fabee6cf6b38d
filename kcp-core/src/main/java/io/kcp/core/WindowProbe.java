package io.kcp.core;

/**
 * Questions about the window: ours to a peer that closed its window (with a growing pause), and the answers that we owe.
 * Section 2.10 of {@code wire-format.md}, steps 3 and 4.
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

    /** The window has grown since the peer learned of it: announces it unless an acknowledgement does. */
    void updateNow() {
        updatePending = true;
    }

    /** An acknowledgement leaves, which carries the window. */
    void onAcknowledged() {
        updatePending = false;
    }

    boolean isPending() {
        return askPending || answerPending || updatePending;
    }

    boolean takeAsk() {
        boolean pending = askPending;
        askPending = false;
        return pending;
    }

    boolean takeAnswer() {
        boolean pending = answerPending || updatePending;
        answerPending = false;
        updatePending = false;
        return pending;
    }

    /** Runs the timer; {@code blocked} is whether the peer's window is 0 while something waits for it. */
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
