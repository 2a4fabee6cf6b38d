package io.kcp.core.internal.peer;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.internal.base.ProtocolConstants;

/**
 * Measures how long a peer has been inactive while a response is due, how long it has been active without acknowledging the oldest
 * segment, and how long it has refused data. At most 5 s between two updates count, so that a clock jump or a suspended process does not
 * close a conversation.
 */
public final class PeerLiveness {

    private static final int MAX_COUNTED_MS = 5_000;
    private static final int MAX_PING_INTERVAL_MS = 5_000;
    private static final int MIN_PING_INTERVAL_MS = 100;
    /** Minimum time without a verified datagram before a probe from the peer triggers a probe in return. */
    private static final int MIN_INACTIVITY_TO_PROBE_MS = 500;

    private KcpConfig config;
    private int updatedAtMs;
    private boolean answerDue;
    private boolean refused;
    private int inactiveMs;
    private int refusedMs;
    private int blockedMs;
    private boolean pinging;
    private int nextPingAtMs;
    private boolean restarted;
    private int verifiedAtMs;
    private boolean exhausted;

    public PeerLiveness(KcpConfig config, int timeMs) {
        this.config = config;
        updatedAtMs = timeMs;
        verifiedAtMs = timeMs;
    }

    public void reconfigure(KcpConfig newConfig) {
        config = newConfig;
    }

    private int pingIntervalMs() {
        int deadPeerTimeoutMs = config.deadPeerTimeoutMs();
        return deadPeerTimeoutMs == 0 ? MAX_PING_INTERVAL_MS
            : Math.max(MIN_PING_INTERVAL_MS, Math.min(MAX_PING_INTERVAL_MS, deadPeerTimeoutMs >> 2));
    }

    /**
     * Records the arrival of a datagram that cannot be a replay.
     *
     * @param blocked {@code true} if the peer should have acknowledged the oldest segment long ago, and has not done so since the previous
     *                datagram
     */
    public void onVerified(boolean blocked, int timeMs) {
        update(timeMs, answerDue, refused);
        // Of a pause, only a part counts, because the peer cannot acknowledge anything while the path is interrupted.
        blockedMs = blocked ? blockedMs + Math.min(inactiveMs, MAX_COUNTED_MS) : 0;
        inactiveMs = 0;
        pinging = false;
        restarted = false;
        verifiedAtMs = timeMs;
    }

    /** Records that the peer has accepted new data, and restarts the zero-window timeout. */
    public void onDataAccepted() {
        refusedMs = 0;
    }

    /**
     * Returns the milliseconds since the latest verified datagram, or since the creation of the conversation if there was no such datagram.
     */
    public int inactiveMs(int timeMs) {
        return timeMs - verifiedAtMs;
    }

    /** Returns {@code true} if a probe from the peer should trigger a probe in return. */
    public boolean shouldProbeBack(int timeMs) {
        return !pinging && inactiveMs(timeMs) >= MIN_INACTIVITY_TO_PROBE_MS;
    }

    /** Returns {@code true} if the peer has been inactive for so long that it should be probed when sending is stalled. */
    public boolean shouldProbeStalledPeer() {
        return config.deadPeerTimeoutMs() > 0 && !pinging && inactiveMs >= pingIntervalMs();
    }

    public void onTransmissionsExhausted() {
        exhausted = true;
    }

    public void startPing(int timeMs) {
        if (!answerDue) {
            answerDue = true;
            updatedAtMs = timeMs;
        }
        pinging = true;
        nextPingAtMs = timeMs + pingIntervalMs();
    }

    public boolean isPinging() {
        return pinging;
    }

    /** Returns {@code true} if the liveness probe should be repeated now, and schedules the next repetition. */
    public boolean takePingDue(int timeMs) {
        if (pinging && timeMs - nextPingAtMs >= 0) {
            nextPingAtMs = timeMs + pingIntervalMs();
            return true;
        }
        return false;
    }

    /** Returns {@code true} if the peer has been inactive for longer than a retransmission timeout. */
    boolean isInactive(int rtoMs) {
        return inactiveMs > rtoMs;
    }

    /**
     * Returns {@code true} if a datagram ends a period of inactivity, after which a backed-off segment should be retransmitted immediately.
     * A datagram that may be a replay has this effect only once per period.
     */
    public boolean takeRestart(boolean verified, int rtoMs) {
        boolean restart = isInactive(rtoMs) && (verified || !restarted);
        restarted |= restart;
        return restart;
    }

    /**
     * Updates how long the peer has been inactive while a response is due, and how long it has refused data. A duration is reset to 0
     * unless its condition was true at the previous update and is true now.
     */
    public void update(int timeMs, boolean answerDueNow, boolean refusedNow) {
        int elapsedMs = timeMs - updatedAtMs;
        int countedMs = elapsedMs < 0 ? MAX_COUNTED_MS : Math.min(elapsedMs, MAX_COUNTED_MS);
        updatedAtMs = timeMs;
        inactiveMs = answerDueNow && answerDue ? inactiveMs + countedMs : 0;
        refusedMs = refusedNow && refused ? refusedMs + countedMs : 0;
        answerDue = answerDueNow;
        refused = refusedNow;
    }

    public LinkState state() {
        if (exhausted) {
            return LinkState.TRANSMISSIONS_EXHAUSTED;
        }
        if (config.deadPeerTimeoutMs() > 0 && Math.max(inactiveMs, blockedMs) >= config.deadPeerTimeoutMs()) {
            return LinkState.PEER_TIMEOUT;
        }
        if (config.zeroWindowTimeoutMs() > 0 && refusedMs >= config.zeroWindowTimeoutMs()) {
            return LinkState.PEER_NOT_READING;
        }
        return LinkState.ALIVE;
    }

    /** Returns the milliseconds until the next {@link #update} is needed. */
    public int msUntilUpdate(int timeMs, boolean answerDueNow, boolean refusedNow) {
        int sinceUpdateMs = answerDue || refused ? timeMs - updatedAtMs : 0;
        int wait = ProtocolConstants.NO_DEADLINE;
        if (answerDueNow && config.deadPeerTimeoutMs() > 0) {
            wait = Math.min(config.deadPeerTimeoutMs() - inactiveMs, pingIntervalMs()) - sinceUpdateMs;
        }
        if (refusedNow && config.zeroWindowTimeoutMs() > 0) {
            wait = Math.min(wait, Math.min(config.zeroWindowTimeoutMs() - refusedMs, MAX_COUNTED_MS) - sinceUpdateMs);
        }
        if (pinging) {
            wait = Math.min(wait, nextPingAtMs - timeMs);
        }
        return Math.max(wait, 0);
    }
}
