package io.kcp.netty;

import io.kcp.core.Kcp;
import io.kcp.core.LinkState;

/** Sends keepalive probes for a session, and closes the session when its peer is inactive for too long. */
final class SessionLiveness {

    private SessionLiveness() {
        // Holds static methods only, so that an idle session needs no object for its liveness checks.
    }

    /** Schedules {@link #sweep} for the time at which the next keepalive probe, the idle or the first-message timeout may be due. */
    static void watch(DefaultKcpChannel session, long nowMs, int inactiveMs) {
        int idleTimeoutMs = session.config().idleTimeoutMs();
        int keepaliveMs = session.config().keepaliveMs();
        long dueMs = Long.MAX_VALUE;
        if (idleTimeoutMs > 0) {
            dueMs = nowMs + Math.max(0, idleTimeoutMs - inactiveMs);
        }
        if (keepaliveMs > 0) {
            dueMs = Math.min(dueMs, nowMs + (inactiveMs < keepaliveMs ? keepaliveMs - inactiveMs : keepaliveMs));
        }
        if (awaitsFirstMessage(session)) {
            dueMs = Math.min(dueMs, session.openedMs + session.config().firstMessageTimeoutMs());
        }
        session.handler().loop().timers().watch(session, dueMs == Long.MAX_VALUE ? -1 : dueMs, nowMs);
    }

    /**
     * Returns {@code true} if the peer opened the session, has not sent a complete message yet, and must send one within the first-message
     * timeout.
     */
    private static boolean awaitsFirstMessage(DefaultKcpChannel session) {
        return session.place != null && session.config().firstMessageTimeoutMs() > 0 && session.isReading()
            && !session.delivery.hasDelivered() && !session.kcp().hasReceivable();
    }

    /** Sends a keepalive probe if one is due, and closes the session if the idle or the first-message timeout has expired. */
    static void sweep(DefaultKcpChannel session, long nowMs) {
        Kcp conversation = session.kcp();
        int inactiveMs = conversation.inactiveMs((int) nowMs);
        int idleTimeoutMs = session.config().idleTimeoutMs();
        if (idleTimeoutMs > 0 && inactiveMs >= idleTimeoutMs) {
            if (session.closing().isClosedByPeer()) {
                session.closing().closeForPeer();
            } else {
                session.closeWith(KcpCloseReason.IDLE);
            }
            return;
        }
        if (awaitsFirstMessage(session) && nowMs - session.openedMs >= session.config().firstMessageTimeoutMs()) {
            session.closeWith(KcpCloseReason.FIRST_MESSAGE_TIMEOUT);
            return;
        }
        int keepaliveMs = session.config().keepaliveMs();
        if (keepaliveMs > 0 && inactiveMs >= keepaliveMs && !session.closing().isClosedByPeer()) {
            conversation.ping((int) nowMs);
            session.handler().flusher().flushDue(session, nowMs);
        }
        if (session.isServed()) {
            watch(session, nowMs, inactiveMs);
        }
    }

    /** Closes the session if the conversation reports that the peer does not respond or does not read. */
    static void check(DefaultKcpChannel session, long nowMs) {
        if (session.closing().isClosedByPeer()) {
            // The peer has closed its session and no longer responds. This session stays open only until its application has read all
            // messages.
            return;
        }
        Kcp conversation = session.kcp();
        LinkState link = conversation.linkState((int) nowMs);
        switch (link) {
            case ALIVE -> {
            }
            case PEER_TIMEOUT -> session.closeWith(KcpCloseReason.PEER_TIMEOUT);
            case TRANSMISSIONS_EXHAUSTED -> session.closeWith(KcpCloseReason.TRANSMISSIONS_EXHAUSTED);
            case PROTOCOL_ERROR -> session.closeWith(KcpCloseReason.PROTOCOL_ERROR);
            case PEER_TOO_SLOW -> session.closeWith(KcpCloseReason.PEER_TOO_SLOW);
            case PEER_NOT_READING -> session.closeWith(KcpCloseReason.PEER_NOT_READING, conversation.firstMessage().failure());
        }
    }
}
