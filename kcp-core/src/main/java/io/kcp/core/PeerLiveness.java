package io.kcp.core;

/**
 * Decides that a peer is gone or does not read. Counts only time that was witnessed, a few seconds at most between two
 * looks: a clock that jumps or a process that was frozen closes nothing.
 */
final class PeerLiveness {

    private static final int MAX_WITNESSED_MS = 5_000;
    private static final int MAX_PING_REPEAT_MS = 5_000;
    private static final int MIN_PING_REPEAT_MS = 100;
    /** A question of the peer's is answered with one of ours only after so long without a verified datagram. */
    private static final int MIN_SILENCE_TO_ASK_MS = 500;

    private int deadPeerTimeoutMs;
    private int zeroWindowTimeoutMs;
    private int pingRepeatMs;
    private int lookedAtMs;
    private boolean outstanding;
    private boolean refused;
    private int silentMs;
    private int refusedMs;
    private boolean pinging;
    private int pingAgainAtMs;
    private boolean restarted;
    private int lastVerifiedMs;
    private boolean exhausted;

    PeerLiveness(int timeMs) {
        lookedAtMs = timeMs;
        lastVerifiedMs = timeMs;
    }

    void reconfigure(KcpConfig config) {
        deadPeerTimeoutMs = config.deadPeerTimeoutMs();
        zeroWindowTimeoutMs = config.zeroWindowTimeoutMs();
        pingRepeatMs = deadPeerTimeoutMs == 0 ? MAX_PING_REPEAT_MS
            : Math.max(MIN_PING_REPEAT_MS, Math.min(MAX_PING_REPEAT_MS, deadPeerTimeoutMs >> 2));
    }

    /** Notes a datagram that only a live peer can have sent. */
    void onVerified(int timeMs) {
        look(timeMs, outstanding, refused);
        silentMs = 0;
        pinging = false;
        restarted = false;
        lastVerifiedMs = timeMs;
    }

    /** Notes that the peer has received a segment that it had lacked: it does not refuse data. */
    void onReceived() {
        refusedMs = 0;
    }

    /** Returns the milliseconds since the latest verified datagram, or since the beginning. */
    int msSinceVerified(int timeMs) {
        return timeMs - lastVerifiedMs;
    }

    /** Returns {@code true} if a question of the peer's should be answered with one of ours. */
    boolean shouldAskBack(int timeMs) {
        return !pinging && msSinceVerified(timeMs) >= MIN_SILENCE_TO_ASK_MS;
    }

    /** Returns {@code true} if the peer owes an answer for so long that it should be asked whether it is alive. */
    boolean shouldAskStalledPeer() {
        return deadPeerTimeoutMs > 0 && !pinging && silentMs >= pingRepeatMs;
    }

    void onTransmissionsExhausted() {
        exhausted = true;
    }

    void startPing(int timeMs) {
        if (!outstanding) {
            outstanding = true;
            lookedAtMs = timeMs;
        }
        pinging = true;
        pingAgainAtMs = timeMs + pingRepeatMs;
    }

    boolean isPinging() {
        return pinging;
    }

    /** Tells whether the question should be repeated, and counts it as repeated. */
    boolean takePingDue(int timeMs) {
        if (pinging && timeMs - pingAgainAtMs >= 0) {
            pingAgainAtMs = timeMs + pingRepeatMs;
            return true;
        }
        return false;
    }

    /** Whether the peer has been silent for so long that its first word calls for a fast restart. */
    boolean wasSilent(int rtoMs) {
        return silentMs > rtoMs;
    }

    /**
     * Returns {@code true} if a datagram calls for a fast restart. A datagram that may be a replay does so once in a silence.
     */
    boolean takeRestart(boolean verified, int rtoMs) {
        boolean restart = wasSilent(rtoMs) && (verified || !restarted);
        restarted |= restart;
        return restart;
    }

    /** Takes stock; time counts if things were the same at the look before. */
    void look(int timeMs, boolean nowOutstanding, boolean nowRefused) {
        int elapsedMs = timeMs - lookedAtMs;
        int witnessedMs = elapsedMs < 0 ? MAX_WITNESSED_MS : Math.min(elapsedMs, MAX_WITNESSED_MS);
        lookedAtMs = timeMs;
        silentMs = nowOutstanding && outstanding ? silentMs + witnessedMs : 0;
        refusedMs = nowRefused && refused ? refusedMs + witnessedMs : 0;
        outstanding = nowOutstanding;
        refused = nowRefused;
    }

    LinkState state() {
        if (exhausted) {
            return LinkState.TRANSMISSIONS_EXHAUSTED;
        }
        if (deadPeerTimeoutMs > 0 && silentMs >= deadPeerTimeoutMs) {
            return LinkState.PEER_SILENT;
        }
        if (zeroWindowTimeoutMs > 0 && refusedMs >= zeroWindowTimeoutMs) {
            return LinkState.PEER_NOT_READING;
        }
        return LinkState.ALIVE;
    }

    /** Returns milliseconds until the next look is needed. */
    int msUntilLook(int timeMs, boolean nowOutstanding, boolean nowRefused) {
        int sinceLookMs = outstanding || refused ? timeMs - lookedAtMs : 0;
        int wait = Kcp.NO_DEADLINE;
        if (nowOutstanding && deadPeerTimeoutMs > 0) {
            wait = Math.min(deadPeerTimeoutMs - silentMs, pingRepeatMs) - sinceLookMs;
        }
        if (nowRefused && zeroWindowTimeoutMs > 0) {
            wait = Math.min(wait, Math.min(zeroWindowTimeoutMs - refusedMs, MAX_WITNESSED_MS) - sinceLookMs);
        }
        if (pinging) {
            wait = Math.min(wait, pingAgainAtMs - timeMs);
        }
        return Math.max(wait, 0);
    }
}
