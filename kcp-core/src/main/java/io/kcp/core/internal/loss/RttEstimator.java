package io.kcp.core.internal.loss;

import io.kcp.core.internal.base.ProtocolConstants;

/**
 * Estimates the smoothed round-trip time and its variation, and computes the retransmission timeout. Follows RFC 6298 with the changes of
 * KCP: times are whole milliseconds, a sample far below the expected range increases the variation only slightly, and the interval is the
 * minimum margin. See section 2.8 of {@code wire-format.md}.
 */
public final class RttEstimator {

    private static final int INITIAL_RTO_MS = 200;

    private int intervalMs;
    private int minRtoMs;
    private int smoothedRttMs;
    private int variationMs;
    private int rtoMs = INITIAL_RTO_MS;
    private boolean sampled;
    private boolean everSampled;
    private int shortestMs;
    private boolean roundTripKnown;

    /** Records a round-trip time. Unlike samples, this includes the round trips of datagrams that FEC recovered. */
    public void onRoundTrip(int roundTripMs) {
        shortestMs = roundTripKnown ? Math.min(shortestMs, roundTripMs) : roundTripMs;
        roundTripKnown = true;
    }

    /** Returns the shortest round-trip time on the current path in milliseconds, or 0 before the first round trip. */
    public int shortestMs() {
        return shortestMs;
    }

    /** Adds one round-trip sample, which the caller has checked for plausibility. */
    public void onSample(int rttMs) {
        sampled = true;
        everSampled = true;
        if (smoothedRttMs == 0) {
            smoothedRttMs = rttMs;
            variationMs = rttMs >> 1;
        } else {
            int delta = rttMs - smoothedRttMs;
            smoothedRttMs += delta >> 3;
            int distance = Math.abs(delta);
            // A sample far below the smoothed round-trip time gets an eighth of the usual weight, because a faster response should not
            // raise the retransmission timeout.
            int shift = rttMs < smoothedRttMs - variationMs ? 5 : 2;
            variationMs += distance - variationMs >> shift;
        }
        update();
    }

    /** Changes the settings and recomputes the retransmission timeout. */
    public void reconfigure(int newIntervalMs, int newMinRtoMs) {
        intervalMs = newIntervalMs;
        minRtoMs = newMinRtoMs;
        update();
    }

    private void update() {
        if (sampled) {
            int rto = smoothedRttMs + Math.max(intervalMs, variationMs << 2);
            rtoMs = Math.min(Math.max(rto, minRtoMs), ProtocolConstants.MAX_RTO_MS);
        }
    }

    /** Forgets the samples, because the path has changed. The retransmission timeout does not become shorter. */
    public void onPathChanged() {
        sampled = false;
        shortestMs = 0;
        roundTripKnown = false;
        smoothedRttMs = 0;
        variationMs = 0;
        rtoMs = Math.max(rtoMs, INITIAL_RTO_MS);
    }

    /** Returns {@code true} if the round trip of the current path was measured. */
    public boolean isSampled() {
        return sampled;
    }

    /** Returns {@code true} if a round trip was ever measured, including on earlier paths. */
    public boolean wasEverSampled() {
        return everSampled;
    }

    public int smoothedRttMs() {
        return smoothedRttMs;
    }

    public int variationMs() {
        return variationMs;
    }

    public int rtoMs() {
        return rtoMs;
    }
}
