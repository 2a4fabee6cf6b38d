package io.kcp.core;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One segment, to send or received: payload and, while it is to be delivered, the state of its transmissions. Recycled
 * through {@link SegmentPool}. Whether it is queued, in flight, lost or acknowledged is told by the container that holds
 * it, not by flags.
 */
final class Segment {

    int sn;
    int frg;
    /** Owned by the segment, or shared with the others of one write. */
    @Nullable ByteBuf payload;
    /** Where in it, while this is to be sent: a slice would be an object for each segment. */
    int payloadIndex;
    int payloadBytes;
    /** Where writes may be appended (stream mode): the payload is a buffer of our own with room left. */
    boolean appendable;
    /** Part of a stream, so that it may be cut anew while it has no number. */
    boolean ofStream;
    /** The payload is a slice of a datagram that was read. */
    boolean sharesMemory;

    /**
     * Of a received fragment that begins or ends a run of consecutive fragments of one message: the {@code sn} at the other
     * end of the run, and the payload bytes of the whole run.
     */
    int otherEndOfRun;
    int runBytes;

    /** Session time of the first and of the latest transmission. */
    int firstSentAtMs;
    int sentAtMs;
    /** Place of the latest transmission among all transmissions of the conversation. */
    long order;
    int transmissions;
    /** Acknowledged by number while something before it is missing. */
    boolean acknowledged;
    /** Timeouts in a row: the step of the back-off. */
    int timeouts;
    /** Fast and early retransmissions since the latest timeout. */
    int fastResends;
    @Nullable LossCause lossCause;

    @Nullable SegmentList list;
    @Nullable Segment previous;
    @Nullable Segment next;

    void releasePayload() {
        ByteBuf buffer = payload;
        if (buffer != null) {
            payload = null;
            buffer.release();
        }
    }

    /** Returns the payload with one more reference, <b>owned</b> by the caller. */
    ByteBuf retainPayload() {
        ByteBuf buffer = payload;
        assert buffer != null : "segment " + sn + " has no payload";
        return buffer.retain();
    }

    /** Hands the payload over; the segment holds none afterwards. */
    ByteBuf takePayload() {
        ByteBuf buffer = payload;
        assert buffer != null : "segment " + sn + " has no payload";
        payload = null;
        return buffer;
    }

    void reset() {
        appendable = false;
        ofStream = false;
        sharesMemory = false;
        transmissions = 0;
        acknowledged = false;
        timeouts = 0;
        fastResends = 0;
        lossCause = null;
    }
}
