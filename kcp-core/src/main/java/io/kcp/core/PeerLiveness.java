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
    boolean shouldAskStalledPeer(KcpConfig config) {
        return config.deadPeerTimeoutMs() > 0 && !pinging && silentMs >= pingRepeatMs(config);
    }

    void onTransmissionsExhausted() {
        exhausted = true;
    }

    void startPing(int timeMs, KcpConfig config) {
        if (!outstanding) {
            outstanding = true;
            lookedAtMs = timeMs;
        }
        pinging = true;
        pingAgainAtMs = timeMs + pingRepeatMs(config);
    }

    private static int pingRepeatMs(KcpConfig config) {
        int timeoutMs = config.deadPeerTimeoutMs();
        return timeoutMs == 0 ? MAX_PING_REPEAT_MS : Math.max(MIN_PING_REPEAT_MS, Math.min(MAX_PING_REPEAT_MS, timeoutMs >> 2));
    }

    boolean isPinging() {
        return pinging;
    }

    /** Tells whether the question should be repeated, and counts it as repeated. */
    boolean takePingDue(int timeMs, KcpConfig config) {
        if (pinging && timeMs - pingAgainAtMs >= 0) {
            pingAgainAtMs = timeMs + pingRepeatMs(config);
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

    LinkState state(KcpConfig config) {
        if (exhausted) {
            return LinkState.TRANSMISSIONS_EXHAUSTED;
        }
        if (config.deadPeerTimeoutMs() > 0 && silentMs >= config.deadPeerTimeoutMs()) {
            return LinkState.PEER_SILENT;
        }
        if (config.zeroWindowTimeoutMs() > 0 && refusedMs >= config.zeroWindowTimeoutMs()) {
            return LinkState.PEER_NOT_READING;
        }
        return LinkState.ALIVE;
    }

    /** Returns milliseconds until the next look is needed. */
    int msUntilLook(int timeMs, boolean nowOutstanding, boolean nowRefused, KcpConfig config) {
        int sinceLookMs = outstanding || refused ? timeMs - lookedAtMs : 0;
        int wait = Kcp.NO_DEADLINE;
        if (nowOutstanding && config.deadPeerTimeoutMs() > 0) {
            wait = Math.min(config.deadPeerTimeoutMs() - silentMs, pingRepeatMs(config)) - sinceLookMs;
        }
        if (nowRefused && config.zeroWindowTimeoutMs() > 0) {
            wait = Math.min(wait, Math.min(config.zeroWindowTimeoutMs() - refusedMs, MAX_WITNESSED_MS) - sinceLookMs);
        }
        if (pinging) {
            wait = Math.min(wait, pingAgainAtMs - timeMs);
        }
        return Math.max(wait, 0);
    }
}
