package io.kcp.core.internal.send;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.loss.RttEstimator;

/**
 * Computes the pacing rate of a conversation without congestion control. Segments of a large window are spread over the round trip, because
 * a burst of the whole window would overflow short queues on the path. Such a burst would follow, for example, the retransmission of the
 * segment that blocks {@code una}, because its acknowledgement opens the whole window.
 *
 * <p>A burst of {@value #BURST_SEGMENTS} segments, which is the default window, is sent without delay, and so is the data of
 * {@value #BURST_MS} ms. Before the first round trip is measured, and on paths with a round trip of a few milliseconds, nothing is paced.
 */
final class WindowPace {

    /** Maximum number of segments that are sent at once. */
    static final int BURST_SEGMENTS = 128;
    /** Shortest round-trip time of a path that is paced. The clock is too coarse for shorter ones. */
    private static final int MIN_ROUND_TRIP_MS = 5;
    /** Amount of data that may be sent at once, in milliseconds of the rate, so that late timers do not reduce the throughput. */
    private static final int BURST_MS = 8;
    private static final int MS_PER_S = 1_000;
    /** The products of the pacer do not overflow at this rate. */
    private static final long MAX_BYTES_PER_SECOND = 4_000_000_000L;

    private int windowSegments;
    private int segmentBytes;
    private int roundTripMs;
    private long bytesPerSecond;

    /**
     * Adopts the windows and the round-trip time.
     *
     * @param segments the minimum of the send window and the peer's receive window
     * @param mssBytes the maximum payload of a segment
     */
    void update(int segments, int mssBytes, RttEstimator rtt) {
        int smoothedMs = rtt.shortestMs() < MIN_ROUND_TRIP_MS ? 0 : rtt.smoothedRttMs();
        if (segments == windowSegments && smoothedMs == roundTripMs && mssBytes + SegmentHeader.LENGTH == segmentBytes) {
            return;
        }
        windowSegments = segments;
        roundTripMs = smoothedMs;
        segmentBytes = mssBytes + SegmentHeader.LENGTH;
        // Sends a quarter faster than one window per round trip, so that pacing does not limit the throughput.
        bytesPerSecond = smoothedMs == 0 ? 0
            : Math.min((long) Math.max(segments, 1) * segmentBytes * MS_PER_S / smoothedMs * 5 / 4, MAX_BYTES_PER_SECOND);
    }

    /** Returns the pacing rate in bytes per second, or 0 if sending is not paced. */
    long bytesPerSecond() {
        return bytesPerSecond;
    }

    long burstBytes() {
        return Math.max((long) BURST_SEGMENTS * segmentBytes, bytesPerSecond * BURST_MS / MS_PER_S);
    }
}
