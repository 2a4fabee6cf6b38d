package io.kcp.core.internal.send;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.congestion.RateSample;
import io.kcp.core.internal.memory.DeliveryStamp;
import io.kcp.core.internal.memory.Segment;

/**
 * Measures the rate at which the peer acknowledges data (draft-cheng-iccrg-delivery-rate-estimation). Each segment stores the state of this
 * object at its latest transmission. The acknowledgement of the segment then shows how much was delivered in between.
 *
 * <p>Segments store the low 32 bits of times and byte counts, so that they stay small. A sample is therefore invalid if it spans more than
 * half an hour.
 */
public final class DeliveryRate {

    private static final long MAX_INTERVAL_US = 1L << 31;

    /** Order of the first transmission that is measured. Segments in flight contain no state of this object if their order is lower. */
    private final long firstOrder;
    private long deliveredBytes;
    private long lostBytes;
    private long deliveredAtUs;
    /** Transmission time of the segment that was acknowledged latest, which is the start of the next sample's sending time. */
    private long firstSentAtUs;
    /**
     * Value of {@link #deliveredBytes} above which transmissions are no longer limited by the application, or 0 if they are not limited.
     */
    private long applicationLimitedUntil;

    // The acknowledgements of the current datagram.
    private long acknowledgedBytes;
    private long rttUs = -1;
    private long rttOrder;
    private boolean sampled;
    private long newestOrder;
    private int priorDelivered;
    private int priorLost;
    private int sentAtUs;
    private int segmentFirstSentAtUs;
    private int segmentDeliveredAtUs;
    private boolean applicationLimited;

    /**
     * Creates an object that measures all transmissions from the next one on.
     *
     * @param firstOrder the order of the next transmission
     */
    DeliveryRate(long firstOrder) {
        this.firstOrder = firstOrder;
    }

    private static int bytes(Segment segment) {
        return SegmentHeader.LENGTH + segment.payloadBytes;
    }

    /**
     * Records a transmission of a segment.
     *
     * @param inFlightBytes the bytes in flight, including this segment
     */
    void onTransmitted(Segment segment, long inFlightBytes, long timeUs) {
        if (inFlightBytes <= bytes(segment)) {
            firstSentAtUs = timeUs;
            deliveredAtUs = timeUs;
        }
        DeliveryStamp stamp = segment.deliveryStamp();
        stamp.sentAtUs = (int) timeUs;
        stamp.firstSentAtUs = (int) firstSentAtUs;
        stamp.deliveredAtUs = (int) deliveredAtUs;
        stamp.deliveredBytes = (int) deliveredBytes;
        stamp.lostBytes = (int) lostBytes;
        stamp.applicationLimited = applicationLimitedUntil != 0;
    }

    void onLost(Segment segment) {
        segment.deliveryStamp().lostOrder = segment.order;
        if (segment.order >= firstOrder) {
            lostBytes += bytes(segment);
        }
    }

    /** Records that the peer has recovered lost segments with FEC parity. */
    void onRecovered(int bytes) {
        lostBytes += bytes;
    }

    /**
     * Records that transmissions which were considered lost have arrived.
     *
     * @param losses the number of these transmissions
     */
    void onSpuriousLoss(Segment segment, int losses) {
        if (segment.deliveryStamp().lostOrder >= firstOrder) {
            lostBytes -= (long) losses * bytes(segment);
        }
    }

    /**
     * Records that a segment was acknowledged.
     *
     * @param latest {@code true} if the {@code ts} of an ACK shows that the latest transmission of the segment was acknowledged
     */
    void onDelivered(Segment segment, boolean latest, long timeUs) {
        int bytes = bytes(segment);
        deliveredBytes += bytes;
        acknowledgedBytes += bytes;
        deliveredAtUs = timeUs;
        if (segment.order < firstOrder) {
            return;
        }
        DeliveryStamp stamp = segment.deliveryStamp();
        if (latest && (rttUs < 0 || segment.order > rttOrder)) {
            rttUs = Integer.toUnsignedLong((int) timeUs - stamp.sentAtUs);
            rttOrder = segment.order;
        }
        // An acknowledgement without ts may belong to an earlier transmission of a retransmitted segment.
        if ((latest || segment.transmissions == 1) && (!sampled || segment.order > newestOrder)) {
            sampled = true;
            newestOrder = segment.order;
            priorDelivered = stamp.deliveredBytes;
            priorLost = stamp.lostBytes;
            sentAtUs = stamp.sentAtUs;
            segmentFirstSentAtUs = stamp.firstSentAtUs;
            segmentDeliveredAtUs = stamp.deliveredAtUs;
            applicationLimited = stamp.applicationLimited;
        }
    }

    /** Completes the sample of a datagram and starts the next one. */
    void complete(RateSample sample, long inFlightBytes, long timeUs) {
        sample.acknowledgedBytes = acknowledgedBytes;
        sample.deliveredBytes = deliveredBytes;
        sample.lostBytes = lostBytes;
        sample.inFlightBytes = inFlightBytes;
        sample.rttUs = rttUs;
        sample.valid = false;
        if (sampled) {
            long sendElapsedUs = Integer.toUnsignedLong(sentAtUs - segmentFirstSentAtUs);
            long ackElapsedUs = Integer.toUnsignedLong((int) timeUs - segmentDeliveredAtUs);
            sample.intervalUs = Math.max(sendElapsedUs, ackElapsedUs);
            sample.valid = sample.intervalUs < MAX_INTERVAL_US;
            sample.priorDeliveredBytes = deliveredBytes - Integer.toUnsignedLong((int) deliveredBytes - priorDelivered);
            sample.lostSinceBytes = Math.max((int) lostBytes - priorLost, 0);
            sample.applicationLimited = applicationLimited;
            firstSentAtUs = timeUs - Integer.toUnsignedLong((int) timeUs - sentAtUs);
        }
        if (deliveredBytes > applicationLimitedUntil) {
            applicationLimitedUntil = 0;
        }
        acknowledgedBytes = 0;
        rttUs = -1;
        sampled = false;
    }

    /** Marks all data in flight as limited by the application, because the sender could send more. */
    void onApplicationLimited(long inFlightBytes) {
        applicationLimitedUntil = Math.max(deliveredBytes + inFlightBytes, 1);
    }
}
