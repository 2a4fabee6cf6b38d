package io.kcp.netty;

/**
 * The reason why a session was closed. A session that its application closed has no reason if all data was delivered.
 *
 * <p>A peer that uses this library is notified of the close and of its reason, unless {@link KcpChannelOption#CLOSE_NOTICE} is disabled on
 * one side. Its session closes with {@link #PEER_CLOSED} or {@link #PEER_FAILED}. Other KCP implementations are not notified, because KCP
 * itself does not transmit a close.
 */
public enum KcpCloseReason {
    /** No valid datagram was received for {@link KcpChannelOption#DEAD_PEER_TIMEOUT_MS} while data or a probe was unacknowledged. */
    PEER_TIMEOUT("no valid datagram was received within the dead-peer timeout while data or a probe was unacknowledged"),
    /** A segment was transmitted {@link KcpChannelOption#MAX_TRANSMISSIONS} times. */
    TRANSMISSIONS_EXHAUSTED("a segment was not acknowledged after the maximum number of transmissions"),
    /** The peer advertised a window of 0 for {@link KcpChannelOption#ZERO_WINDOW_TIMEOUT_MS}. */
    PEER_NOT_READING("the peer did not read, so its window stayed closed for the zero-window timeout"),
    /** The peer accepted waiting data more slowly than {@link KcpChannelOption#MIN_DRAIN_BYTES_PER_SECOND}. */
    PEER_TOO_SLOW("the peer accepted waiting data more slowly than the minimum drain rate"),
    /**
     * The peer continued to send fragments that are inconsistent or exceed the limits of this side. This reason occurs only with an
     * authenticated cipher. Without such a cipher, an attacker might have forged the fragments, so they are only dropped and counted.
     */
    PROTOCOL_ERROR("the peer violated the rules for message fragments"),
    /** No valid datagram was received for {@link KcpChannelOption#IDLE_TIMEOUT_MS}. */
    IDLE("no valid datagram was received within the idle timeout"),
    /** An accepted session received no complete message within {@link KcpChannelOption#FIRST_MESSAGE_TIMEOUT_MS}. */
    FIRST_MESSAGE_TIMEOUT("no complete message was received within the first-message timeout"),
    /** The datagram channel that carries the session, or the server, was closed. */
    PARENT_CLOSED("the datagram channel of the session was closed"),
    /**
     * The server evicted the session because there were too many sessions or too little memory. The peer had not yet acknowledged anything
     * that the server sent. Because a flood of such sessions would fill the log, {@code exceptionCaught} is not called.
     *
     * <p>If the server had acknowledged nothing either, the client retransmits its data, and the session opens again after at most 5 s. A
     * message that the evicted session had already delivered is then delivered again in the new session.
     */
    EVICTED("evicted before its peer was validated, because of too many sessions or too little memory"),
    /**
     * The session held more than its share of memory without making progress, while its event loop was short of memory for some seconds. A
     * session makes progress if at least a sixteenth of its bytes is acknowledged, read or received in order during that time.
     */
    MEMORY_LIMIT("held more than its share of scarce memory without making progress"),
    /** A failure on this side, such as a shortage of memory, closed the session. The failure is the cause of the exception. */
    FAILED("closed because of a failure on this side"),
    /**
     * The application closed the session because of a failure, by calling {@link KcpChannel#closeBecause}. The failure is the cause of the
     * exception.
     */
    APPLICATION_FAILED("closed by the application because of a failure"),
    /** The application rejected the peer with a {@link KcpPeerRejectedException}, which is the cause of the {@link KcpCloseException}. */
    REJECTED("rejected by the application"),
    /**
     * TLS failed, for example because the peer does not use TLS, its certificate was rejected, or the handshake took too long. The
     * {@link KcpTlsException} is the cause of the {@link KcpCloseException}.
     */
    TLS_FAILED("TLS failed"),
    /**
     * The application closed the session, and its flushed data was not acknowledged within {@link KcpChannelOption#LINGER_MS}. This reason
     * also applies if the close did not wait for acknowledgements, because the peer was gone, the linger time was 0, the socket was closed,
     * or the event loop was shutting down.
     */
    LINGER_EXPIRED("closed before all data was acknowledged"),
    /**
     * The application of the peer, or its idle timeout, closed the session, and this side has received all data that the peer sent. The
     * method {@code exceptionCaught} is called only if the peer had not acknowledged all data of this side.
     */
    PEER_CLOSED("closed by the peer"),
    /**
     * The peer closed the session because of a failure, or before this side had received all data. The reason of the peer is
     * {@link KcpCloseException#peerReason()}.
     */
    PEER_FAILED("the peer closed the session because of a failure");

    private final String text;

    KcpCloseReason(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
