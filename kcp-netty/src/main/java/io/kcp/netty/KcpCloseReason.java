package io.kcp.netty;

/** Why a session ended, unless its application closed it and all was delivered. The wire knows no reasons: the peer is told none. */
public enum KcpCloseReason {
    /** Nothing valid was heard for {@link KcpChannelOption#DEAD_PEER_TIMEOUT_MS} while an answer was owed. */
    PEER_SILENT("no sign of life from the peer while data or a probe was outstanding"),
    /** One segment was sent {@link KcpChannelOption#MAX_TRANSMISSIONS} times. */
    TRANSMISSIONS_EXHAUSTED("a segment was transmitted as often as allowed"),
    /** The peer kept its window closed for {@link KcpChannelOption#ZERO_WINDOW_TIMEOUT_MS}. */
    PEER_NOT_READING("the peer does not read: its window stayed closed"),
    /** Nothing at all was heard for {@link KcpChannelOption#IDLE_TIMEOUT_MS}. */
    IDLE("nothing was heard within the idle timeout"),
    /** The datagram channel below, or the server, was closed. */
    PARENT_CLOSED("the datagram channel of the session was closed"),
    /**
     * The server closed it, because there were too many sessions or too little memory, and its peer had not yet acknowledged anything
     * that the server sent. {@code exceptionCaught} is not called, because a flood of such sessions would fill the log.
     */
    EVICTED("closed to make room before its peer was validated"),
    /**
     * The memory for sessions of its event loop was short for some seconds, and all that time the session held more than its share and
     * made no progress: its peer acknowledged nothing, or its application read nothing.
     */
    MEMORY_LIMIT("it kept scarce memory of its event loop and made no progress"),
    /** Something went wrong on this side, memory ran out say; the cause tells what. */
    FAILED("it failed on this side"),
    /** Its application has {@linkplain KcpChannel#closeBecause closed it because something failed there}; the cause tells what. */
    APPLICATION_FAILED("closed because its application failed"),
    /** Its application has refused the peer with a {@link KcpRejectedException}, which is the cause. */
    REJECTED("rejected by its application"),
    /**
     * Its application closed it, and what it had flushed was not acknowledged within {@link KcpChannelOption#LINGER_MS}, or was not
     * waited for: the peer was gone, that option is 0, the socket closed, or the event loop about to end.
     */
    LINGER_EXPIRED("closed before all data was acknowledged");

    private final String text;

    KcpCloseReason(String text) {
        this.text = text;
    }

    /**
     * Returns {@code true} if {@code exceptionCaught} is called: not for an end that loses nothing, such as that of a peer that has gone,
     * and not for one that a forged source address suffices to cause, because a flood of such datagrams would fill the log.
     *
     * @param undelivered whether something was written and not acknowledged
     * @param mayBeForged whether the session was accepted and its peer never proved that it receives what is sent to its address
     */
    boolean isFailure(boolean undelivered, boolean mayBeForged) {
        return switch (this) {
            case PARENT_CLOSED, EVICTED -> false;
            case IDLE, PEER_SILENT -> undelivered && !mayBeForged;
            case TRANSMISSIONS_EXHAUSTED, PEER_NOT_READING, MEMORY_LIMIT -> !mayBeForged;
            default -> true;
        };
    }

    String text() {
        return text;
    }
}
