package io.kcp.core.internal.congestion;

import java.util.function.BooleanSupplier;

/**
 * Drives {@link BbrCongestionControl} with the acknowledgements of whole round trips, on a clock that advances by one round trip each. By
 * default, the path delivers {@value #BANDWIDTH} bytes per second with a round trip of {@value #RTT_US} µs, and the sender keeps a full
 * window in flight.
 */
final class BbrRounds {

    static final long BANDWIDTH = 1_000_000;
    static final long RTT_US = 100_000;
    /** The product of the bandwidth and the round-trip time. */
    static final long PRODUCT_BYTES = 100_000;
    static final int SEGMENT_BYTES = 1_400;
    private static final int ACKS = 20;
    /** The bytes that one datagram acknowledges. */
    static final long ACK_BYTES = PRODUCT_BYTES / ACKS;
    private static final int LARGE_FLIGHT = 1 << 30;

    final BbrCongestionControl bbr = new BbrCongestionControl(7);
    private final AckReport acks = new AckReport();
    private final LossReport losses = new LossReport();
    private final FlushReport flushed = new FlushReport();
    long timeUs = 1_000_000;
    private long delivered;
    private long roundStart;
    private long lost;

    // The properties of the next rounds.
    long bandwidth = BANDWIDTH;
    long rttUs = RTT_US;
    double lossShare;
    long inFlightBytes = LARGE_FLIGHT;
    boolean applicationLimited;

    BbrCongestionControl.Phase phase() {
        return bbr.phase();
    }

    /** Acknowledges the data of one round trip. The last acknowledgement ends the round. */
    void round() {
        long bytes = bandwidth * rttUs / 1_000_000 / ACKS;
        long acknowledged = delivered - roundStart;
        for (int i = 1; i < ACKS; i++) {
            acknowledge(i == 1 ? bytes - acknowledged : bytes, roundStart - 1, 0, rttUs / ACKS);
        }
        acknowledge(bytes, roundStart, (long) (lossShare / (1 - lossShare) * bytes * ACKS), rttUs / ACKS);
        roundStart = delivered;
    }

    private void acknowledge(long bytes, long prior, long lostBytes, long afterUs) {
        timeUs += afterUs;
        delivered += bytes;
        lost += lostBytes;
        RateSample rate = acks.rate;
        rate.valid = true;
        rate.resolutionUs = 0;
        rate.acknowledgedBytes = bytes;
        rate.deliveredBytes = delivered;
        rate.priorDeliveredBytes = prior;
        rate.lostBytes = lost;
        rate.lostSinceBytes = lostBytes;
        rate.rttUs = rttUs;
        rate.intervalUs = rttUs;
        rate.inFlightBytes = inFlightBytes;
        rate.applicationLimited = applicationLimited;
        report();
    }

    /** Acknowledges a few bytes at the beginning of the next round. */
    void acknowledge(int bytes) {
        acknowledge(bytes, roundStart - 1, 0, 0);
    }

    /** Reports a round-trip time without newly acknowledged data. */
    void sample(long sampleUs) {
        acks.rate.acknowledgedBytes = 0;
        acks.rate.rttUs = sampleUs;
        report();
    }

    private void report() {
        acks.timeUs = timeUs;
        acks.fullSegmentBytes = SEGMENT_BYTES;
        bbr.onAcknowledged(acks);
    }

    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    /** Runs rounds while a condition is fulfilled. Returns their number. */
    int roundsWhile(BooleanSupplier condition) {
        int count = 0;
        while (condition.getAsBoolean() && count < 1_000) {
            round();
            count++;
        }
        return count;
    }

    int roundsUntil(BbrCongestionControl.Phase phase) {
        return roundsWhile(() -> phase() != phase);
    }

    int roundsIn(BbrCongestionControl.Phase phase) {
        return roundsWhile(() -> phase() == phase);
    }

    /** Runs the startup phase until the queue that it has built is drained. */
    void startUp() {
        rounds(4);
        drain();
    }

    /** Ends a draining phase with the next acknowledgement. */
    void drain() {
        inFlightBytes = 1;
        acknowledge(1);
        inFlightBytes = LARGE_FLIGHT;
    }

    /** Runs one cycle from cruising, with or without a slow phase, until the next cruising phase. */
    void cycle() {
        roundsUntil(BbrCongestionControl.Phase.DOWN);
        drain();
    }

    void interrupt() {
        losses.clear();
        losses.interrupted = true;
        losses.timeUs = timeUs;
        bbr.onLost(losses);
    }

    void lose(int segments) {
        losses.clear();
        losses.skipped = segments;
        losses.timeUs = timeUs;
        bbr.onLost(losses);
    }

    void flush(int sent, int inFlightSegments) {
        flushed.timeUs = timeUs;
        flushed.sent = sent;
        flushed.inFlightSegments = inFlightSegments;
        bbr.onFlushed(flushed);
    }

}
