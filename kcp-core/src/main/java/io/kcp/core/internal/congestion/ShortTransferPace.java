package io.kcp.core.internal.congestion;

/**
 * Chooses the pace and the window of short transfers, such as responses, that begin while almost nothing is in flight. Such a transfer ends
 * within about one round trip. Its delivery rate is therefore at most its size per round trip, even if the bottleneck is much faster.
 *
 * <p>A transfer may use a window that was delivered before without a queue, and a pace that grows with each such delivery. A queue, many
 * losses, or losses that depend on the pace reduce it. Data that is sent later than one round trip after the start of the transfer follows
 * the estimated bandwidth.
 */
final class ShortTransferPace {

    /** Growth of the pace per transfer until the first queue. */
    private static final double FIRST_GROWTH = 2;
    private static final double GROWTH = 1.1;
    /** Growth of the pace close to a pace that has caused losses. */
    private static final double CAREFUL_GROWTH = 1.01;
    private static final double BETA = 0.7;
    private static final double WINDOW_GAIN = 1.25;
    /** Number of rounds for which the size of a transfer counts. */
    private static final int ROUNDS = 16;
    /** A transfer is sent in at least one sixteenth of a round trip. */
    private static final int MAX_SHARE = 16;
    /** A transfer begins if at most one eighth of the previous transfers is still in flight. */
    private static final int REST_SHARE = 8;
    /** A multiple of the window that short transfers between two pauses do not exceed. */
    private static final int MAX_TRANSFERS = 2;
    private static final double US_PER_S = 1e6;

    private long bytesPerSecond;
    private boolean limited;
    private long currentBytes;
    private long previousBytes;
    private int rounds;
    private final FlightLosses losses = new FlightLosses();
    /** {@code true} if losses reduced the pace, until the losses at the estimated bandwidth are known. */
    private boolean comparing;
    /** Pace above which it grows slowly, because a higher pace has caused losses. */
    private long carefulBytesPerSecond = Long.MAX_VALUE;
    private long lostBytes;
    private long deliveredBytes;

    /**
     * Adds the losses since the previous call. Called at the end of a round in which the conversation paused without data in flight, so
     * that retransmissions do not separate a transfer from its losses. Returns {@code true} if the pace causes losses.
     *
     * @param rate         the counts of lost and delivered bytes
     * @param segmentBytes the size of a full segment
     * @param floorShare   the share of segments that the path loses without congestion, as far as it is known
     * @param bandwidth    the estimated bandwidth in bytes per second
     */
    boolean isPaceLossy(RateSample rate, int segmentBytes, double floorShare, long bandwidth) {
        long lost = Math.max(rate.lostBytes - lostBytes, 0);
        long sent = lost + rate.deliveredBytes - deliveredBytes;
        lostBytes = rate.lostBytes;
        deliveredBytes = rate.deliveredBytes;
        if (sent > MAX_TRANSFERS * windowBytes()) {
            // The losses are those of a long transfer, most of which was sent at the estimated bandwidth.
            return false;
        }
        boolean lossy = losses.isExcessive((double) lost / segmentBytes, (double) sent / segmentBytes, floorShare,
            bytesPerSecond <= bandwidth);
        comparing = (comparing || lossy) && !losses.isCalmKnown();
        if (lossy) {
            carefulBytesPerSecond = (long) (bytesPerSecond * BETA);
        }
        return lossy;
    }

    /**
     * Adds a round in which the conversation paused without data in flight.
     *
     * @param roundBytes     the bytes that were acknowledged in the round
     * @param bandwidth      the estimated bandwidth in bytes per second
     * @param minRttUs       the minimum round-trip time of the path in microseconds
     * @param congested      {@code true} if the round shows a queue or many losses
     */
    void onRound(long roundBytes, long bandwidth, long minRttUs, boolean congested) {
        rounds++;
        if (rounds >= ROUNDS) {
            rounds = 0;
            previousBytes = currentBytes;
            currentBytes = 0;
        }
        if (congested) {
            limited = true;
            setPace(Math.max(bytesPerSecond * BETA, bandwidth));
            return;
        }
        // A round with few bytes does not show that the path carries more at this pace.
        boolean full = 2 * roundBytes >= bytes();
        currentBytes = Math.max(currentBytes, roundBytes);
        boolean mayGrow = !comparing || bytesPerSecond > bandwidth;
        if (full && mayGrow) {
            double grown = Math.max(bytesPerSecond, bandwidth) * growth();
            setPace(Math.min(grown, Math.max(bandwidth, MAX_SHARE * bytes() * US_PER_S / minRttUs)));
        }
    }

    private double growth() {
        return bytesPerSecond >= carefulBytesPerSecond ? CAREFUL_GROWTH : limited ? GROWTH : FIRST_GROWTH;
    }

    private void setPace(double pace) {
        // On a path with a very short round trip, the transfers themselves do not limit the pace.
        bytesPerSecond = (long) Math.min(pace, BbrCongestionControl.MAX_BYTES_PER_SECOND);
    }

    private long bytes() {
        return Math.max(currentBytes, previousBytes);
    }

    /** Returns {@code true} if data that is sent now begins a transfer. */
    boolean mayBegin(long inFlightBytes) {
        return inFlightBytes <= bytes() / REST_SHARE;
    }

    /** Returns the window of a transfer in bytes. */
    long windowBytes() {
        return (long) (WINDOW_GAIN * bytes());
    }

    /** Returns the pace of a transfer in bytes per second, or 0 if none was delivered. */
    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Discards all knowledge, because the path may have changed. */
    void reset() {
        bytesPerSecond = 0;
        limited = false;
        currentBytes = 0;
        previousBytes = 0;
        rounds = 0;
        losses.clear();
        comparing = false;
        carefulBytesPerSecond = Long.MAX_VALUE;
    }
}
