package io.kcp.tools.linkcheck;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measurements of a link over time, for {@link LinkChart}. */
final class LinkSamples {

    /**
     * The measurements of one interval.
     *
     * @param second              end of the interval in seconds
     * @param megabitsToServer    acknowledged payload in Mbit/s
     * @param megabitsFromServer  returned payload in Mbit/s
     * @param rttMs               median round trip in milliseconds, null if none was measured
     * @param retransmittedPercent retransmissions per 100 segments to the server
     * @param lostPercent         lost datagrams per 100 datagrams from the server
     */
    record Sample(double second, double megabitsToServer, double megabitsFromServer, @Nullable Double rttMs, double retransmittedPercent,
                  double lostPercent) {
    }

    private final SegmentTap tap;
    private final EchoProbe probe;
    private final long startNanos;
    private final List<Sample> samples = new ArrayList<>();
    private long previousNanos;
    private SentSegments sent;
    private ReceivedSegments received;
    private long acknowledgedBytes;
    private long retransmissions;
    private long segmentsSent;
    private long lost;
    private long segmentsReceived;
    private long receivedBytes;

    LinkSamples(SegmentTap tap, EchoProbe probe) {
        this.tap = tap;
        this.probe = probe;
        startNanos = System.nanoTime();
        previousNanos = startNanos;
        sent = tap.sent();
        received = tap.received();
    }

    /** Adds a sample of the time since the previous call. Must be called on the event loop of the session. */
    void take() {
        if (sent != tap.sent()) {
            sent = tap.sent();
            received = tap.received();
            acknowledgedBytes = 0;
            retransmissions = 0;
            segmentsSent = 0;
            lost = 0;
            segmentsReceived = 0;
        }
        long nanos = System.nanoTime();
        double micros = (nanos - previousNanos) / 1e3;
        samples.add(new Sample((nanos - startNanos) / 1e9, (sent.acknowledgedBytes() - acknowledgedBytes) * 8 / micros,
            (probe.receivedBytes() - receivedBytes) * 8 / micros, sent.takeRecentMedianMs(),
            percent(sent.retransmissions() - retransmissions, sent.segments() - segmentsSent),
            percent(received.lost() - lost, received.segments() - segmentsReceived)));
        previousNanos = nanos;
        acknowledgedBytes = sent.acknowledgedBytes();
        retransmissions = sent.retransmissions();
        segmentsSent = sent.segments();
        lost = received.lost();
        segmentsReceived = received.segments();
        receivedBytes = probe.receivedBytes();
    }

    private static double percent(long part, long all) {
        return all == 0 ? 0 : Math.min(100, 100.0 * part / all);
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }
}
