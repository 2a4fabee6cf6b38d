package io.kcp.netty.smux;

/** The reason of a {@link SmuxException}. */
public enum SmuxError {
    /** The peer sent a frame of another protocol version. The parent channel is closed. */
    VERSION_MISMATCH("the peer uses another version of smux"),
    /** The peer sent a frame with a command that the protocol version does not define. The parent channel is closed. */
    UNKNOWN_COMMAND("the peer sent an unknown command"),
    /** The peer sent a frame whose length is not valid for its command. The parent channel is closed. */
    INVALID_LENGTH("the peer sent a frame with an invalid length"),
    /** The peer opened a stream with an id that only this side may assign. Both peers probably have the same role. */
    INVALID_STREAM_ID("the peer opened a stream with an id of this side; one peer must be the client and the other the server"),
    /** The peer sent more data on a stream than the window and the receive buffer allow. The parent channel is closed. */
    WINDOW_EXCEEDED("the peer exceeded the window of a stream"),
    /** The peer reported that it consumed more data than this side has sent. Only the stream is closed. */
    INVALID_CONSUMED("the peer reported more consumed bytes than this side has sent"),
    /** The peer opened many more streams than allowed and did not read the FIN frames that refused them. The parent channel is closed. */
    TOO_MANY_REFUSALS("the peer opened too many streams without reading the refusals"),
    /** No frame was received during the keepalive timeout. The parent channel is closed. */
    KEEPALIVE_TIMEOUT("no frame was received within the keepalive timeout"),
    /** A write to the parent channel failed. The parent channel is closed, because its peer would otherwise miss a part of the stream. */
    WRITE_FAILED("a write to the parent channel failed"),
    /** A failure on this side, such as a shortage of memory. The parent channel is closed. */
    FAILED("an operation failed on this side (see the cause)"),
    /** The parent channel was closed. */
    PARENT_CLOSED("the parent channel was closed"),
    /** The {@link SmuxHandler} was removed from the pipeline of the parent channel. */
    HANDLER_REMOVED("the smux handler was removed from the pipeline of the parent channel"),
    /**
     * The application closed the stream, and the flushed data could not be sent within the linger time. The peer receives a FIN after the
     * data that was sent, and cannot detect that data is missing.
     */
    LINGER_EXPIRED("closed before all flushed data was sent"),
    /** This side has used all its stream ids, so that no further stream can be opened on this parent channel. */
    STREAM_IDS_EXHAUSTED("all stream ids of this side have been used; open another connection");

    private final String text;

    SmuxError(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
