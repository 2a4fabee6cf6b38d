package io.kcp.netty.packet;

import java.io.Serial;

/**
 * Signals that the peer sent invalid data. The exception has no stack trace, because invalid data that a peer sends on purpose must not
 * be expensive to report.
 */
public final class PacketException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The reason of the exception. */
    private final Reason reason;

    /** The reason of a {@link PacketException}. */
    public enum Reason {
        /** The announced payload length exceeds {@link PacketFormat#maxPayloadBytes()}. The channel is closed. */
        PAYLOAD_TOO_LARGE,
        /** The CRC-32 of a packet does not match its length and payload. The channel is closed. */
        CHECKSUM_MISMATCH,
        /**
         * The incomplete packets of all channels use too much memory, and those of this connection use the most. The channel is closed.
         */
        MEMORY_LIMIT,
        /** The peer has sent part of a payload, and then nothing for 30 to 40 s. The channel is closed. */
        TIMEOUT,
        /** A field that {@link FieldReader} was asked for extends beyond the end of the payload. The application decides what to do. */
        FIELD_TRUNCATED,
        /** Bytes follow the last field of a payload. The application decides what to do. */
        TRAILING_BYTES
    }

    /**
     * Creates an exception, for code that reads the format of this package without its handlers.
     *
     * @param reason  the reason of the exception
     * @param message the fault and the values involved
     */
    public PacketException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    /**
     * Returns the reason of this exception.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
