package io.kcp.core;

import java.io.Serial;

/**
 * Thrown if a message exceeds the maximum size that the conversation can send. The method {@link io.kcp.core.conversation.Kcp#send
 * Kcp.send} throws this exception before any part of the message is sent. In contrast, {@code InitialWindowMessages.failure} returns it for
 * a message that was partly sent.
 */
public final class MessageTooLargeException extends IllegalArgumentException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The maximum size that the message exceeded. */
    private final int limitBytes;

    /**
     * Creates the exception.
     *
     * @param messageBytes size of the message in bytes
     * @param limitBytes   current maximum size of a message in bytes
     * @param limitName    a description of the limit for the error message
     */
    public MessageTooLargeException(int messageBytes, int limitBytes, String limitName) {
        super("message of " + messageBytes + " bytes exceeds " + limitBytes + " bytes (" + limitName
            + "); split it or use KcpTransferMode.STREAM");
        this.limitBytes = limitBytes;
    }

    /**
     * Returns the maximum size that the message exceeded.
     *
     * @return the size of the largest message that would have been accepted, in bytes
     */
    public int limitBytes() {
        return limitBytes;
    }
}
