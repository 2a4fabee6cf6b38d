package io.kcp.netty.internal.roaming;

/**
 * Limits how often a session considers a new address of its peer. A move retransmits all data in flight, so a peer that alternates between
 * addresses would otherwise cause much more traffic than it sends. All unknown addresses are ignored for the rest of a minute after
 * {@value #MAX_WRONG_ECHOES} wrongly guessed timestamps in that minute.
 *
 * <p>This class is used on the event loop of the session only.
 */
public final class MoveLimits {

    /** Maximum number of new addresses that a session considers in a burst. */
    public static final int BURST = 8;
    /** Interval in milliseconds at which the session may consider one more new address. */
    public static final int REFILL_MS = 500;
    /** Number of wrong guesses per minute after which datagrams from unknown addresses are ignored for the rest of that minute. */
    public static final int MAX_WRONG_ECHOES = 32;
    private static final int WRONG_ECHO_PERIOD_MS = 60_000;

    private int left = BURST;
    private long refilledAtMs;
    private int wrongEchoes;
    private long wrongEchoesSinceMs;

    MoveLimits(long nowMs) {
        refilledAtMs = nowMs;
        wrongEchoesSinceMs = nowMs;
    }

    /** Returns {@code true} if datagrams from unknown addresses may be examined. */
    boolean mayExamine(long nowMs) {
        if (nowMs - wrongEchoesSinceMs >= WRONG_ECHO_PERIOD_MS) {
            wrongEchoesSinceMs = nowMs;
            wrongEchoes = 0;
        }
        long refills = (nowMs - refilledAtMs) / REFILL_MS;
        left = (int) Math.min(BURST, left + refills);
        refilledAtMs += refills * REFILL_MS;
        return left > 0 && wrongEchoes < MAX_WRONG_ECHOES;
    }

    void onNewAddress() {
        left--;
    }

    void onWrongEcho() {
        wrongEchoes++;
    }
}
