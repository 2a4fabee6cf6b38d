package io.kcp.core;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * What one side put on the wire, counted from the datagrams themselves and from what the link did with them: an account
 * that does not trust the conversation's own counters.
 *
 * <p>A retransmission is <em>spurious</em> when an earlier copy of the segment arrives anyway. It counts as a
 * <em>timeout</em> when at least the retransmission timeout passed since the copy before; one found lost by
 * acknowledgements but sent that late counts too, so the figure is rather too high than too low.
 */
public final class WireStatistics implements LinkObserver {

    private final int firstSn;
    private final IntSupplier rtoMs;
    private int[] transmissions = new int[64];
    private int[] timeoutsInRow = new int[64];
    private long[] dueAtUs = new long[64];
    private boolean[] arrives = new boolean[64];

    private long datagrams;
    private long wireBytes;
    private long arrivedDatagrams;
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
     * Creates an account.
     *
     * @param firstSn number of the first segment
     * @param rtoMs   asked for the sender's timeout in milliseconds at every transmission
     */
    public WireStatistics(int firstSn, IntSupplier rtoMs) {
        this.firstSn = firstSn;
        this.rtoMs = rtoMs;
    }

    @Override
    public void onSent(ByteBuf datagram, LinkFate fate, long nowUs) {
        datagrams++;
        latestSentUs = nowUs;
        wireBytes += datagram.readableBytes();
        arrivedDatagrams += fate.arrives() ? 1 : 0;
        queueDrops += fate == LinkFate.QUEUE_FULL ? 1 : 0;
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
            // Before the first segment: a liveness probe.
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
        if (arriving && !arrives[place]) {
            arrives[place] = true;
            arrivedPayloadBytes += len;
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
     * Returns how many datagrams were sent.
     *
     * @return datagrams
     */
    public long datagrams() {
        return datagrams;
    }

    /**
     * Returns how many of them arrive whole, at least once.
     *
     * @return datagrams
     */
    public long arrivedDatagrams() {
        return arrivedDatagrams;
    }

    /**
     * Returns how many found the link's queue full.
     *
     * @return datagrams
     */
    public long queueDrops() {
        return queueDrops;
    }

    /**
     * Returns the bytes of all datagrams, without the link's framing.
     *
     * @return bytes
     */
    public long wireBytes() {
        return wireBytes;
    }

    /**
     * Returns how many different segments were sent.
     *
     * @return segments
     */
    public int segments() {
        return segments;
    }

    /**
     * Returns the payload of the different segments.
     *
     * @return bytes
     */
    public long payloadBytes() {
        return payloadBytes;
    }

    /**
     * Returns the payload of the different segments of which a copy arrives.
     *
     * @return bytes
     */
    public long arrivedPayloadBytes() {
        return arrivedPayloadBytes;
    }

    /**
     * Returns how many PUSH segments were sent again.
     *
     * @return segments
     */
    public long retransmissions() {
        return pushes - segments;
    }

    /**
     * Returns how many of them were needless because an earlier copy arrives.
     *
     * @return segments
     */
    public long spuriousRetransmissions() {
        return spurious;
    }

    /**
     * Returns the spurious retransmissions as share of the different segments.
     *
     * @return percent
     */
    public double spuriousPercent() {
        return segments == 0 ? 0 : 100.0 * spurious / segments;
    }

    /**
     * Returns how many ACK segments were sent.
     *
     * @return segments
     */
    public long acknowledgements() {
        return acknowledgements;
    }

    /**
     * Returns how many WASK and WINS segments were sent.
     *
     * @return segments
     */
    public long probes() {
        return probes;
    }

    /**
     * Returns how often the segment that was sent most often was sent.
     *
     * @return transmissions
     */
    public int mostTransmissions() {
        return mostTransmissions;
    }

    /**
     * Returns the longest series of timeouts that one segment had.
     *
     * @return timeouts
     */
    public int mostTimeoutsInRow() {
        return mostTimeoutsInRow;
    }

    /**
     * Returns the most PUSH segments that left in one instant.
     *
     * @return segments
     */
    public int largestBurst() {
        return largestBurst;
    }

    /** Forgets the largest burst so far, to look at one part of a run. */
    public void resetLargestBurst() {
        largestBurst = 0;
    }

    /**
     * Returns when the last datagram was sent.
     *
     * @return microseconds of virtual time, -1 if none was
     */
    public long latestSentUs() {
        return latestSentUs;
    }
}
