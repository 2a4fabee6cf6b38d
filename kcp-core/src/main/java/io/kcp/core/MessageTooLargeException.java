package io.kcp.core;

import java.io.Serial;

/** A message exceeds the largest message that the conversation can send. No part of it was sent. */
public final class MessageTooLargeException extends IllegalArgumentException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The limit that was exceeded. */
    private final int limitBytes;

    /**
     * Creates the exception.
     *
     * @param messageBytes size of the message
     * @param limitBytes   size of the largest message at the moment
     * @param limitName    the origin of the limit
     */
    public MessageTooLargeException(int messageBytes, int limitBytes, String limitName) {
        super("message of " + messageBytes + " bytes exceeds " + limitBytes + " bytes (" + limitName
            + "); split it or use KcpMode.STREAM");
        this.limitBytes = limitBytes;
    }

    /**
     * Returns the limit.
     *
     * @return the size of the largest message that would have been accepted, in bytes
     */
    public int limitBytes() {
        return limitBytes;
    }
}
