package io.kcp.core;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * An outbound or received segment: its payload, and for an outbound segment the state of its transmissions. The container that stores a
 * segment determines whether it is queued, in flight or lost. Recycled through {@link SegmentPool}.
 */
final class Segment {

    int sn;
    int frg;
    /** Owned by the segment. The segments of one write retain the same buffer. */
    @Nullable ByteBuf payload;
    /** Index of the payload of an outbound segment in the buffer, which saves the object of a slice. */
    int payloadIndex;
    int payloadBytes;
    /** {@code true} if the payload is our own buffer with free space, to which writes may be appended (stream mode). */
    boolean appendable;
    /** {@code true} if the segment is part of a stream, so that it may be cut again while it has no number. */
    boolean ofStream;
    /** {@code true} if the payload is a slice of an inbound datagram. */
    boolean sharesMemory;

    /**
     * For a received fragment at the start or end of a run of consecutive fragments of one message: the {@code sn} at the other
     * end of the run, and the payload bytes of the whole run.
     */
    int otherEndOfRun;
    int runBytes;

    /** Time of the first and of the latest transmission, on the clock of the conversation. */
    int firstSentAtMs;
    int sentAtMs;
    /** Number of the latest transmission among all transmissions of the conversation. */
    long order;
    int transmissions;
    /** {@code true} if the segment was acknowledged by number and {@code una} does not cover it yet. */
    boolean acknowledged;
    /** Consecutive timeouts, the step of the back-off. */
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

    /** Returns the payload, <b>owned</b> by the caller, and removes it from the segment. */
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
