package io.kcp.testkit;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * Statistics of the datagrams that one endpoint of a {@link KcpPair} has sent. They are computed from the datagrams and their fate on the
 * link, independently of the counters of the conversation.
 *
 * <p>A retransmission is <em>spurious</em> if an earlier copy of the segment arrives. A retransmission counts as a <em>timeout</em> if at
 * least the retransmission timeout has passed since the previous copy. The number of timeouts may include fast retransmissions that were
 * sent late.
 */
public final class WireStatistics {

    private final int firstSn;
    private final IntSupplier rtoMs;
    private int[] transmissions = new int[64];
    private int[] timeoutsInRow = new int[64];
    private long[] dueAtUs = new long[64];
    private boolean[] arrives = new boolean[64];

    private long datagrams;
    private long wireBytes;
    private long arrivedDatagrams;
    private long corruptedDatagrams;
    private long queueDrops;
    private int segments;
    private long payloadBytes;
    private long arrivedPayloadBytes;
    private long pushes;
    private long acknowledgements;
    private long probes;
    private long spurious;
    private int mostTransmissions;
    private int mostTimeoutsInRow;
    private long burstAtUs = -1;
    private int burst;
    private int largestBurst;
    private long latestSentUs = -1;

    /**
     * Creates empty statistics.
     *
     * @param rtoMs returns the current retransmission timeout of the sender
     */
    WireStatistics(int firstSn, IntSupplier rtoMs) {
        this.firstSn = firstSn;
        this.rtoMs = rtoMs;
    }

    /** Records a datagram that contains segments or parity, which may be encrypted. */
    void onDatagram(int datagramBytes, LinkFate fate, long nowUs) {
        datagrams++;
        latestSentUs = nowUs;
        wireBytes += datagramBytes;
        arrivedDatagrams += fate.arrives() ? 1 : 0;
        corruptedDatagrams += fate == LinkFate.CORRUPTED ? 1 : 0;
        queueDrops += fate == LinkFate.QUEUE_FULL ? 1 : 0;
    }

    /** Records the segments of a datagram. */
    void onSegments(ByteBuf datagram, LinkFate fate, long nowUs) {
        int end = datagram.writerIndex();
        int offset = datagram.readerIndex();
        while (end - offset >= SegmentHeader.LENGTH) {
            int len = (int) SegmentHeader.len(datagram, offset);
            switch (SegmentHeader.cmd(datagram, offset)) {
                case SegmentHeader.CMD_PUSH -> onPush(SegmentHeader.sn(datagram, offset) - firstSn, len, fate.arrives(), nowUs);
                case SegmentHeader.CMD_ACK -> acknowledgements++;
                default -> probes++;
            }
            offset += SegmentHeader.LENGTH + len;
        }
    }

    private void onPush(int place, int len, boolean arriving, long nowUs) {
        if (place < 0) {
            // Only a liveness probe can have a lower sequence number than the first segment.
            probes++;
            return;
        }
        ensureRoom(place);
        pushes++;
        if (burstAtUs != nowUs) {
            burstAtUs = nowUs;
            burst = 0;
        }
        largestBurst = Math.max(largestBurst, ++burst);
        int copies = ++transmissions[place];
        if (copies == 1) {
            segments++;
            payloadBytes += len;
        } else {
            spurious += arrives[place] ? 1 : 0;
            timeoutsInRow[place] = nowUs >= dueAtUs[place] ? timeoutsInRow[place] + 1 : 0;
            mostTimeoutsInRow = Math.max(mostTimeoutsInRow, timeoutsInRow[place]);
        }
        mostTransmissions = Math.max(mostTransmissions, copies);
        dueAtUs[place] = nowUs + rtoMs.getAsInt() * 1_000L;
        if (arriving) {
            onArriving(place, len);
        }
    }

    private void onArriving(int place, int len) {
        if (!arrives[place]) {
            arrives[place] = true;
            arrivedPayloadBytes += len;
        }
    }

    /** Records that the peer has recovered a lost datagram or has accepted a corrupted one. */
    void onArrived(ByteBuf datagram) {
        int end = datagram.writerIndex();
        int offset = datagram.readerIndex();
        while (end - offset >= SegmentHeader.LENGTH) {
            int len = (int) SegmentHeader.len(datagram, offset);
            int place = SegmentHeader.sn(datagram, offset) - firstSn;
            if (SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH && place >= 0) {
                onArriving(place, len);
            }
            offset += SegmentHeader.LENGTH + len;
        }
    }

    private void ensureRoom(int place) {
        if (place >= transmissions.length) {
            int capacity = Math.max(place + 1, transmissions.length * 2);
            transmissions = Arrays.copyOf(transmissions, capacity);
            timeoutsInRow = Arrays.copyOf(timeoutsInRow, capacity);
            dueAtUs = Arrays.copyOf(dueAtUs, capacity);
            arrives = Arrays.copyOf(arrives, capacity);
        }
    }

    /**
     * Returns the number of datagrams sent.
     *
     * @return the number of datagrams
     */
    public long datagrams() {
        return datagrams;
    }

    /**
     * Returns the number of sent datagrams of which at least one unmodified copy arrives.
     *
     * @return the number of datagrams
     */
    public long arrivedDatagrams() {
        return arrivedDatagrams;
    }

    /**
     * Returns the number of sent datagrams in which the link inverted a bit.
     *
     * @return the number of datagrams
     */
    public long corruptedDatagrams() {
        return corruptedDatagrams;
    }

    /**
     * Returns the number of datagrams that the link dropped because the queue of the link was full.
     *
     * @return the number of datagrams
     */
    public long queueDrops() {
        return queueDrops;
    }

    /**
     * Returns the total size of all datagrams sent, including parity and the headers of FEC and ciphers, without the framing of the link.
     *
     * @return the number of bytes
     */
    public long wireBytes() {
        return wireBytes;
    }

    /**
     * Returns the number of PUSH segments sent, without retransmissions.
     *
     * @return the number of segments
     */
    public int segments() {
        return segments;
    }

    /**
     * Returns the number of payload bytes sent, without retransmissions.
     *
     * @return the number of bytes
     */
    public long payloadBytes() {
        return payloadBytes;
    }

    /**
     * Returns the number of payload bytes in segments of which at least one copy arrives. Each segment counts once.
     *
     * @return the number of bytes
     */
    public long arrivedPayloadBytes() {
        return arrivedPayloadBytes;
    }

    /**
     * Returns the number of retransmitted PUSH segments.
     *
     * @return the number of retransmissions
     */
    public long retransmissions() {
        return pushes - segments;
    }

    /**
     * Returns the number of spurious retransmissions, that is, retransmissions of segments of which an earlier copy arrives.
     *
     * @return the number of spurious retransmissions
     */
    public long spuriousRetransmissions() {
        return spurious;
    }

    /**
     * Returns the number of spurious retransmissions per 100 segments.
     *
     * @return the percentage, 0 if no segment was sent
     */
    public double spuriousPercent() {
        return segments == 0 ? 0 : 100.0 * spurious / segments;
    }

    /**
     * Returns the number of ACK segments sent.
     *
     * @return the number of segments
     */
    public long acknowledgements() {
        return acknowledgements;
    }

    /**
     * Returns the number of WASK and WINS segments and liveness probes sent.
     *
     * @return the number of segments
     */
    public long probes() {
        return probes;
    }

    /**
     * Returns the highest number of transmissions of one segment.
     *
     * @return the number of transmissions
     */
    public int mostTransmissions() {
        return mostTransmissions;
    }

    /**
     * Returns the highest number of consecutive timeouts of one segment.
     *
     * @return the number of timeouts
     */
    public int mostTimeoutsInRow() {
        return mostTimeoutsInRow;
    }

    /**
     * Returns the highest number of PUSH segments sent at the same virtual time.
     *
     * @return the number of segments
     */
    public int largestBurst() {
        return largestBurst;
    }

    /** Resets the value of {@link #largestBurst()} to 0. */
    public void resetLargestBurst() {
        largestBurst = 0;
    }

    /**
     * Returns the time at which the most recent datagram was sent.
     *
     * @return the virtual time in microseconds, or -1 if no datagram was sent
     */
    public long latestSentUs() {
        return latestSentUs;
    }
}
