package io.kcp.bench;

import io.kcp.core.KcpStats;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Sender whose window is always full, because it sends one new segment for each acknowledged segment. The round-trip time does not depend
 * on the window. Nothing is allocated after construction.
 */
final class FullWindowSender extends BenchmarkedSession {

    private static final int PAYLOADS_PER_WRITE = 12;
    private static final int SETTLING_ROUND_TRIPS = 5;
    private static final int ROUND_TRIP_MS = 100;
    /** Retransmission timeout, chosen longer than the measurement so that it never expires. */
    private static final int RTO_MS = 60_000;

    private final int windowSegments;
    private final int segmentsPerRound;
    private final List<ByteBuf> writes = new ArrayList<>();
    private final ByteBuf[] payloads;
    private final int[] sentAtMs;
    private int nextSn;
    private int oldestSn;
    private long elapsedSegments;

    /** Creates a sender and fills its window, whose size must be a power of two. */
    FullWindowSender(int windowSegments, int payloadBytes, int segmentsPerRound) {
        super(config(windowSegments).minRtoMs(RTO_MS).build(), segmentsPerRound * SegmentHeader.LENGTH);
        this.windowSegments = windowSegments;
        this.segmentsPerRound = segmentsPerRound;
        payloads = new ByteBuf[windowSegments << 1];
        slicePayloads(payloadBytes);
        sentAtMs = new int[windowSegments];
        advertiseWindow();
        fill();
    }

    /** Slices large buffers into payloads, as the library does with large writes. No two payloads share memory. */
    private void slicePayloads(int payloadBytes) {
        for (int i = 0; i < payloads.length; i++) {
            if (i % PAYLOADS_PER_WRITE == 0) {
                int writeBytes = PAYLOADS_PER_WRITE * payloadBytes;
                writes.add(ByteBufAllocator.DEFAULT.directBuffer(writeBytes).writeZero(writeBytes));
            }
            payloads[i] = writes.get(writes.size() - 1).slice(i % PAYLOADS_PER_WRITE * payloadBytes, payloadBytes);
        }
    }

    private void advertiseWindow() {
        SegmentHeader.write(inbound, CONV, SegmentHeader.CMD_WINS, 0, windowSegments, 0, 0, 0, 0);
        input(nowMs());
    }

    private void fill() {
        while (nextSn < windowSegments) {
            int nowMs = nowMs();
            send(Math.min(segmentsPerRound, windowSegments - nextSn), nowMs);
            kcp.flush(nowMs);
        }
        // Completes some round trips first, because a new conversation does not yet infer the loss of a segment from acknowledgements of
        // later segments.
        for (int segments = 0; segments < SETTLING_ROUND_TRIPS * windowSegments; segments += segmentsPerRound) {
            round();
        }
        requireFullWindow();
    }

    /**
     * Acknowledges the oldest segments in order and sends the same number of new segments. Returns the time until the next flush in
     * milliseconds.
     */
    int round() {
        int nowMs = nowMs();
        for (int i = 0; i < segmentsPerRound; i++) {
            acknowledge(oldestSn, ++oldestSn);
        }
        input(nowMs);
        send(segmentsPerRound, nowMs);
        kcp.flush(nowMs);
        return kcp.nextDeadline(nowMs);
    }

    /** Simulates a round trip in which the oldest segment is lost and is retransmitted after later segments have been acknowledged. */
    int roundWithLoss() {
        int nowMs = nowMs();
        int lostSn = oldestSn;
        for (int sn = lostSn + 1; sn < lostSn + segmentsPerRound; sn++) {
            acknowledge(sn, lostSn);
        }
        input(nowMs);
        kcp.flush(nowMs);
        oldestSn += segmentsPerRound;
        // Acknowledges the retransmitted segment only through una, because an ACK segment for it would make the segments sent before the
        // retransmission appear lost.
        acknowledge(lostSn + 1, oldestSn);
        input(nowMs);
        send(segmentsPerRound, nowMs);
        kcp.flush(nowMs);
        return kcp.nextDeadline(nowMs);
    }

    /** Throws an exception if the window is not full, or if there were retransmissions other than fast retransmissions. */
    void requireFullWindow() {
        if (kcp.waitingSegments() != windowSegments || kcp.nextDeadline(nowMs()) == 0) {
            throw new IllegalStateException(kcp.waitingSegments() + " segments are in flight, next flush in "
                + kcp.nextDeadline(nowMs()) + " ms (expected: " + windowSegments + " segments)");
        }
        KcpStats stats = kcp.stats();
        if (stats.timeoutRetransmissions() + stats.earlyRetransmissions() + stats.spuriousRetransmissions() > 0) {
            throw new IllegalStateException("unexpected retransmissions: " + stats);
        }
    }

    private int nowMs() {
        return (int) (elapsedSegments * ROUND_TRIP_MS / windowSegments);
    }

    private void acknowledge(int sn, int una) {
        SegmentHeader.write(inbound, CONV, SegmentHeader.CMD_ACK, 0, windowSegments, sentAtMs[sn & windowSegments - 1], sn, una, 0);
    }

    private void send(int segments, int nowMs) {
        for (int i = 0; i < segments; i++) {
            sentAtMs[nextSn & windowSegments - 1] = nowMs;
            kcp.send(payloads[nextSn & payloads.length - 1].retain(), nowMs);
            nextSn++;
        }
        elapsedSegments += segments;
    }

    @Override
    public void close() {
        super.close();
        writes.forEach(ByteBuf::release);
    }
}
