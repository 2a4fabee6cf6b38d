package io.kcp.core.internal.memory;

import io.kcp.core.KcpConfig;
import io.kcp.core.ShardArrivals;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A received or outbound segment. It contains the payload and, for an outbound segment, the state of its transmissions. The container that
 * stores a segment determines whether it is queued, in flight or lost. Recycled through {@link SegmentPool}.
 */
public final class Segment {

    public int sn;
    public int frg;
    /** The payload buffer, owned by the segment. All segments of one write retain the same buffer. */
    public @Nullable ByteBuf payload;
    /** Index in the buffer at which the payload of an outbound segment starts. Storing the index saves the allocation of a slice. */
    public int payloadIndex;
    public int payloadBytes;
    /** {@code true} if later writes of a stream may be appended to the payload buffer. */
    public boolean appendable;
    /** {@code true} if the segment is part of a stream and may therefore be split until it is sent. */
    public boolean ofStream;
    /** {@code true} if the payload shares the memory of an inbound datagram or of other payloads. */
    public boolean sharesMemory;

    /**
     * The {@code sn} of the fragment at the opposite end of the run of consecutive received fragments to which this fragment belongs. This
     * field and {@link #runBytes}, the number of payload bytes in the run, are valid only in the first and the last fragment of the run.
     */
    public int otherEndOfRun;
    public int runBytes;

    /** Time of the first transmission, measured on the clock of the conversation. */
    public int firstSentAtMs;
    public int sentAtMs;
    /** Ordinal of the latest transmission of this segment among all transmissions and retransmissions of the conversation. */
    public long order;
    /** Number of the FEC data shard that contains the latest transmission, if {@link ShardArrivals} are observed. */
    public long shard;
    /** Number of transmissions that congestion control counts as lost. */
    public int countedLosses;
    /** Number of the event that most recently reported the segment as lost to congestion control, or 0. */
    public int lossEvent;
    private @Nullable DeliveryStamp deliveryStamp;

    public int transmissions;
    /** Number of copies that {@code RedundantCopies} has sent. They are not transmissions. */
    public int copies;
    private int firstCopiedAtMs;
    private int lastCopiedAtMs;
    /** {@code true} if the latest transmission was in a datagram that exceeds {@link KcpConfig#FALLBACK_MTU_BYTES}. */
    public boolean large;
    /** {@code true} if an ACK has acknowledged the segment but {@code una} has not passed it yet. */
    public boolean acknowledged;
    /** Number of consecutive timeouts, which determines the backoff. */
    public int timeouts;
    /** Number of fast and early retransmissions since the latest timeout. */
    public int fastResends;
    public @Nullable RetransmitReason retransmitReason;

    public @Nullable SegmentList list;
    public @Nullable Segment previous;
    public @Nullable Segment next;

    public void onCopied(int timeMs) {
        if (copies == 0) {
            firstCopiedAtMs = timeMs;
        }
        copies++;
        lastCopiedAtMs = timeMs;
    }

    /** Returns the time of the latest transmission or copy, which is the highest {@code ts} that the peer can echo. */
    public int latestSentAtMs() {
        return copies > 0 && lastCopiedAtMs - sentAtMs > 0 ? lastCopiedAtMs : sentAtMs;
    }

    /** Returns {@code true} if a time that the peer has echoed is that of a copy made after the latest transmission. */
    public boolean isCopyEcho(int echoedAtMs) {
        return echoedAtMs - sentAtMs > 0;
    }

    /** Returns the time between the latest transmission and the first copy, or 0 if no copy was sent or the copy was sent earlier. */
    public int msUntilFirstCopy() {
        return copies == 0 ? 0 : Math.max(firstCopiedAtMs - sentAtMs, 0);
    }

    /** Returns the state that {@code DeliveryRate} stores in this segment. The first call creates the object, which is then reused. */
    public DeliveryStamp deliveryStamp() {
        DeliveryStamp stamp = deliveryStamp;
        if (stamp == null) {
            stamp = new DeliveryStamp();
            deliveryStamp = stamp;
        }
        return stamp;
    }

    public void releasePayload() {
        ByteBuf buffer = payload;
        if (buffer != null) {
            payload = null;
            buffer.release();
        }
    }

    /** Retains the payload and returns it, <b>owned</b> by the caller. */
    public ByteBuf retainPayload() {
        ByteBuf buffer = payload;
        assert buffer != null : "segment " + sn + " has no payload";
        return buffer.retain();
    }

    /** Removes the payload from the segment and returns it, <b>owned</b> by the caller. */
    public ByteBuf takePayload() {
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
        copies = 0;
        acknowledged = false;
        if (deliveryStamp != null) {
            deliveryStamp.lostOrder = 0;
        }
        countedLosses = 0;
        lossEvent = 0;
        timeouts = 0;
        fastResends = 0;
        retransmitReason = null;
    }
}
