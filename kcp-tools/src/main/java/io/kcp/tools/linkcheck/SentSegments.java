package io.kcp.tools.linkcheck;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Determines from the acknowledgements of a peer which of the sent datagrams were lost, and measures the round-trip time. Each segment is
 * assumed to be in a datagram of its own. Only the first transmission of each segment counts.
 *
 * <p>An ACK echoes the {@code ts} of the transmission that arrived. Peers also acknowledge segments by {@code una} alone, and do not repeat
 * an ACK that was lost. If a segment beyond a gap was retransmitted, and {@code una} then passes it without an ACK of its first
 * transmission, either the segment or its ACK was lost. {@link #lossShare} divides such segments by probability.
 */
final class SentSegments {

    private static final int DIGITS = 3;
    private static final int ITERATIONS = 50;
    /** A segment that {@code una} passes sooner than this share of the round trip after a retransmission had arrived before. */
    private static final double SHORTEST_ROUND_TRIP = 0.8;

    /** A segment that the {@code una} of the peer has not passed yet. */
    private static final class Sent {

        final int firstTs;
        final long firstNanos;
        final int payloadBytes;
        long latestNanos;
        boolean retransmitted;
        boolean counted;

        Sent(int ts, long nanos, int payloadBytes) {
            firstTs = ts;
            firstNanos = nanos;
            latestNanos = nanos;
            this.payloadBytes = payloadBytes;
        }
    }

    private final Map<Integer, Sent> outstanding = new HashMap<>();
    private final Histogram roundTripMicros = new Histogram(DIGITS);
    private final Histogram recentMicros = new Histogram(DIGITS);
    private boolean started;
    private int una;
    private long shortestNanos = Long.MAX_VALUE;
    private long segments;
    private long retransmissions;
    private long acknowledgedBytes;
    private long arrived;
    private long lost;
    private long unknown;

    /** Records a transmission of a segment at a value of {@link System#nanoTime}. */
    void onPush(int sn, int ts, int payloadBytes, long nanos) {
        if (!started) {
            started = true;
            una = sn;
        }
        if (sn - una < 0) {
            return;
        }
        Sent earlier = outstanding.get(sn);
        if (earlier == null) {
            segments++;
            outstanding.put(sn, new Sent(ts, nanos, payloadBytes));
        } else {
            retransmissions++;
            earlier.retransmitted = true;
            earlier.latestNanos = nanos;
        }
    }

    /** Records an ACK. Must be called before {@link #onUna} for the same datagram. */
    void onAck(int sn, int ts, long nanos) {
        Sent segment = outstanding.get(sn);
        if (segment == null || segment.counted) {
            return;
        }
        segment.counted = true;
        if (segment.firstTs == ts) {
            long roundTripNanos = nanos - segment.firstNanos;
            shortestNanos = Math.min(shortestNanos, roundTripNanos);
            roundTripMicros.recordValue(roundTripNanos / 1_000);
            recentMicros.recordValue(roundTripNanos / 1_000);
            arrived++;
        } else if (sn == una) {
            // The una of the peer stopped at this segment, so its first transmission had not arrived.
            lost++;
        } else {
            unknown++;
        }
    }

    /** Records the {@code una} of a datagram. */
    void onUna(int latestUna, long nanos) {
        if (!started) {
            return;
        }
        int stoppedAt = una;
        for (; una - latestUna < 0; una++) {
            Sent segment = outstanding.remove(una);
            if (segment != null) {
                acknowledgedBytes += segment.payloadBytes;
                if (!segment.counted) {
                    countPassed(segment, una == stoppedAt, nanos);
                }
            }
        }
    }

    private void countPassed(Sent segment, boolean afterStop, long nanos) {
        if (!segment.retransmitted || nanos - segment.latestNanos < SHORTEST_ROUND_TRIP * shortestNanos && hasRoundTrips()) {
            arrived++;
        } else if (afterStop) {
            lost++;
        } else {
            unknown++;
        }
    }

    boolean hasRoundTrips() {
        return roundTripMicros.getTotalCount() > 0;
    }

    /** Returns the number of segments, not counting retransmissions. */
    long segments() {
        return segments;
    }

    long retransmissions() {
        return retransmissions;
    }

    /** Returns the payload bytes of the segments that the {@code una} of the peer has passed. */
    long acknowledgedBytes() {
        return acknowledgedBytes;
    }

    /**
     * Returns the share of the first transmissions that were lost.
     *
     * @param ackLossShare share of the datagrams of the peer that are lost
     */
    double lossShare(double ackLossShare) {
        double all = arrived + lost + unknown;
        if (all == 0) {
            return 0;
        }
        double share = lost / all;
        for (int i = 0; i < ITERATIONS && unknown > 0; i++) {
            double ackLost = (1 - share) * ackLossShare;
            double ofUnknown = share + ackLost == 0 ? 1 : Math.max(share, 1e-6) / (Math.max(share, 1e-6) + ackLost);
            share = (lost + unknown * ofUnknown) / all;
        }
        return share;
    }

    double shortestMs() {
        return hasRoundTrips() ? shortestNanos / 1e6 : 0;
    }

    /** Returns the round-trip time at a percentile, in milliseconds. */
    double roundTripMs(double percentile) {
        return roundTripMicros.getValueAtPercentile(percentile) / 1e3;
    }

    /** Returns the median of the round-trip times since the previous call in milliseconds, or null if there were none. */
    @Nullable Double takeRecentMedianMs() {
        if (recentMicros.getTotalCount() == 0) {
            return null;
        }
        double medianMs = recentMicros.getValueAtPercentile(50) / 1e3;
        recentMicros.reset();
        return medianMs;
    }
}
