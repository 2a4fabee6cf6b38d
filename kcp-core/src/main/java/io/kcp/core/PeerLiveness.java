package io.kcp.core;

/**
 * Decides that a peer is gone or does not read. Counts only time that was witnessed, a few seconds at most between two
 * looks: a clock that jumps or a process that was frozen closes nothing.
 */
final class PeerLiveness {

    private static final int MAX_WITNESSED_MS = 5_000;
    private static final int PING_REPEAT_MS = 5_000;

    private int lookedAtMs;
    private boolean outstanding;
    private boolean refused;
    private int silentMs;
    private int refusedMs;
    private boolean pinging;
    private int pingAgainAtMs;
    private boolean exhausted;

    PeerLiveness(int timeMs) {
        lookedAtMs = timeMs;
    }

    void onHeard(int timeMs) {
        look(timeMs, outstanding, refused);
        silentMs = 0;
        pinging = false;
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
        pingAgainAtMs = timeMs + PING_REPEAT_MS;
    }

    boolean isPinging() {
        return pinging;
    }

    /** Tells whether the question should be repeated, and counts it as repeated. */
    boolean takePingDue(int timeMs) {
        if (pinging && timeMs - pingAgainAtMs >= 0) {
            pingAgainAtMs = timeMs + PING_REPEAT_MS;
            return true;
        }
        return false;
    }

    /** Whether the peer has been silent for so long that its first word calls for a fast restart. */
    boolean wasSilent(int rtoMs) {
        return silentMs > rtoMs;
    }

    /** Takes stock; time counts if things were the same at the look before. */
    void look(int timeMs, boolean nowOutstanding, boolean nowRefused) {
        int witnessedMs = Math.min(timeMs - lookedAtMs, MAX_WITNESSED_MS);
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

    /** Returns milliseconds until the next look is needed; the caller has just looked. */
    int msUntilLook(int timeMs, boolean nowOutstanding, boolean nowRefused, KcpConfig config) {
        int wait = Kcp.NO_DEADLINE;
        if (nowOutstanding && config.deadPeerTimeoutMs() > 0) {
            wait = Math.min(config.deadPeerTimeoutMs() - silentMs, MAX_WITNESSED_MS);
        }
        if (nowRefused && config.zeroWindowTimeoutMs() > 0) {
            wait = Math.min(wait, Math.min(config.zeroWindowTimeoutMs() - refusedMs, MAX_WITNESSED_MS));
        }
        if (pinging) {
            wait = Math.min(wait, pingAgainAtMs - timeMs);
        }
        return Math.max(wait, 0);
    }
}
