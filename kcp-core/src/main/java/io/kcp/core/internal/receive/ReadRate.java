package io.kcp.core.internal.receive;

/**
 * Measures how many segments the application reads per round trip, from which {@link ReceiveWindow} computes a window that grows.
 *
 * <p>A side that only receives has no round-trip samples. It measures the time from the announcement of a window until the last segment
 * that this window permits arrives. The time is one round trip if the window limits the peer, and longer otherwise.
 */
final class ReadRate {

    /** Minimum duration of a measurement in milliseconds, which includes the delayed acknowledgements of other implementations. */
    private static final int MIN_PERIOD_MS = 10;
    /** Number of consecutive long round trips after which the path has probably changed. */
    private static final int LONG_ROUND_TRIPS = 8;
    /** Ratio of a long round trip to the measured one. */
    private static final int LONG_FACTOR = 4;

    private int segmentsRead;
    private int periodStartMs;
    private boolean measuring;

    private int roundTripMs;
    private int longRoundTrips;
    private int shortestLongMs;
    /** The first segment number after the latest announced window. */
    private int announcedEnd;
    private boolean announced;
    private boolean timing;
    private int timedEnd;
    private int timedFromMs;

    void onRead() {
        segmentsRead++;
    }

    /**
     * Records an announcement of the receive window.
     *
     * @param end the first segment number after the window
     */
    void onAnnounced(int end, int timeMs) {
        if (announced && end - announcedEnd <= 0) {
            return;
        }
        announced = true;
        announcedEnd = end;
        if (!timing) {
            timing = true;
            timedEnd = end;
            timedFromMs = timeMs;
        }
    }

    /** Records that the segments before {@code end} have arrived, except for gaps. */
    void onArrival(int end, int timeMs) {
        if (timing && end - timedEnd >= 0) {
            timing = false;
            onRoundTrip(Math.max(1, timeMs - timedFromMs));
        }
    }

    private void onRoundTrip(int sampleMs) {
        if (roundTripMs == 0 || sampleMs <= roundTripMs) {
            roundTripMs = sampleMs;
            longRoundTrips = 0;
        } else if (sampleMs / LONG_FACTOR < roundTripMs) {
            longRoundTrips = 0;
        } else {
            shortestLongMs = longRoundTrips == 0 ? sampleMs : Math.min(shortestLongMs, sampleMs);
            if (++longRoundTrips == LONG_ROUND_TRIPS) {
                roundTripMs = shortestLongMs;
                longRoundTrips = 0;
            }
        }
    }

    /**
     * Ends a period of one round trip.
     *
     * @param rttMs the round-trip time that this side has measured with its own segments, or 0 if it is not known
     * @return the number of segments that the application has read per round trip, or -1 if the period has not ended
     */
    int segmentsPerRoundTrip(int rttMs, int timeMs) {
        int shortestMs = rttMs == 0 ? roundTripMs : roundTripMs == 0 ? rttMs : Math.min(rttMs, roundTripMs);
        if (shortestMs == 0) {
            return -1;
        }
        if (!measuring) {
            measuring = true;
            segmentsRead = 0;
            periodStartMs = timeMs;
            return -1;
        }
        int periodMs = Math.max(shortestMs, MIN_PERIOD_MS);
        int elapsedMs = timeMs - periodStartMs;
        if (elapsedMs < periodMs) {
            return -1;
        }
        int segments = (int) ((long) segmentsRead * periodMs / elapsedMs);
        segmentsRead = 0;
        periodStartMs = timeMs;
        return segments;
    }
}
