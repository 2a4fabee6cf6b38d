package io.kcp.core;

import io.kcp.core.congestion.AckReport;
import io.kcp.core.congestion.BbrCongestionControl;
import io.kcp.core.congestion.CongestionControl;
import io.kcp.core.congestion.CubicCongestionControl;
import io.kcp.core.congestion.FlushReport;
import io.kcp.core.congestion.KcpGoCongestionControl;
import io.kcp.core.congestion.LossReport;
import io.kcp.core.congestion.NoCongestionControl;
import org.jspecify.annotations.Nullable;

/**
 * Owns the congestion control of a conversation and reports acknowledgements, losses and flushes to it. Without congestion control, no
 * method does anything.
 */
final class CongestionFeedback {

    private final LossDetector detector;
    private final SendWindow window;
    private final RemoteWindow remoteWindow;
    private final RttEstimator rtt;
    private final SessionClock clock;
    private final int seed;
    private CongestionAlgorithm algorithm = CongestionAlgorithm.NONE;
    private CongestionControl congestion = NoCongestionControl.INSTANCE;
    private Reports reports = Reports.UNUSED;
    private @Nullable DeliveryRate rate;
    private boolean active;
    private boolean parityFollows;
    private int fastResend;

    CongestionFeedback(LossDetector detector, SendWindow window, RemoteWindow remoteWindow, RttEstimator rtt,
        SessionClock clock, int seed) {
        this.detector = detector;
        this.window = window;
        this.remoteWindow = remoteWindow;
        this.rtt = rtt;
        this.clock = clock;
        this.seed = seed;
    }

    void reconfigure(KcpConfig config, boolean sendsParity) {
        parityFollows = sendsParity;
        fastResend = config.fastResend();
        if (algorithm != config.congestionControl()) {
            algorithm = config.congestionControl();
            congestion = create();
            active = algorithm != CongestionAlgorithm.NONE;
            reports = active ? new Reports() : Reports.UNUSED;
            rate = algorithm == CongestionAlgorithm.BBR ? new DeliveryRate() : null;
        }
    }

    private CongestionControl create() {
        return switch (algorithm) {
            case NONE -> NoCongestionControl.INSTANCE;
            case CUBIC -> new CubicCongestionControl();
            case BBR -> new BbrCongestionControl(seed);
            case KCP_GO -> new KcpGoCongestionControl();
        };
    }

    CongestionControl congestion() {
        return congestion;
    }

    /** Returns {@code true} if the algorithm sets a pacing rate. */
    boolean isPaced() {
        return algorithm == CongestionAlgorithm.CUBIC || algorithm == CongestionAlgorithm.BBR;
    }

    /** Records a transmission, after it was added to the segments in flight. */
    void onTransmitted(Segment segment) {
        if (rate != null) {
            rate.onTransmitted(segment, detector.inFlightBytes(), clock.timeUs());
        }
    }

    /**
     * Records that an ACK has acknowledged a segment. Must be called before the segment is removed from its list.
     *
     * @param latest {@code true} if the ACK belongs to the latest transmission of the segment
     */
    void onAcknowledged(Segment segment, boolean latest) {
        if (!active) {
            return;
        }
        if (segment.list == window.lost() || !latest) {
            onSpuriousLoss(segment);
        } else if (parityFollows && detector.isOvertaken(segment)) {
            onRecovered(segment);
        }
        if (rate != null) {
            rate.onDelivered(segment, latest, clock.timeUs());
        }
    }

    /** Records that {@code una} has acknowledged a segment that no ACK had acknowledged. */
    void onPassed(Segment segment, int timeMs) {
        if (!active) {
            return;
        }
        if (segment.list == window.lost()
            || segment.transmissions > 1 && rtt.isSampled() && timeMs - segment.sentAtMs < rtt.smoothedRttMs() >> 1) {
            // The una acknowledges an earlier transmission, because it arrived before the retransmission or less than half a round trip
            // after it.
            onSpuriousLoss(segment);
        } else if (parityFollows && detector.isOvertaken(segment)) {
            onRecovered(segment);
        }
        if (rate != null) {
            rate.onDelivered(segment, false, clock.timeUs());
        }
    }

    /**
     * Records that a transmission that was considered lost has arrived. If parity is sent, the peer has probably recovered the segment, so
     * that the transmission was lost indeed.
     */
    private void onSpuriousLoss(Segment segment) {
        if (parityFollows) {
            return;
        }
        if (rate != null) {
            rate.onSpuriousLoss(segment);
        }
        // All transmissions were considered lost, except the one that is still in flight. The acknowledgement shows that these losses were
        // spurious.
        int losses = segment.transmissions - (segment.list == window.lost() ? 0 : 1);
        congestion.onSpuriousLoss(segment.lostOrder, losses);
    }

    private void onRecovered(Segment segment) {
        if (rate != null) {
            rate.onLost(segment);
        }
        reports.recovered++;
        reports.newestRecoveredOrder = Math.max(reports.newestRecoveredOrder, segment.order);
    }

    /** Reports the acknowledgements of a datagram. */
    void onDatagram(DatagramReport datagram, int timeMs, int mssBytes) {
        if (!active) {
            return;
        }
        if (reports.recovered > 0) {
            LossReport losses = begin(reports.losses, 0, mssBytes);
            losses.recovered = reports.recovered;
            losses.newestLostOrder = reports.newestRecoveredOrder;
            losses.oldestLostOrder = reports.newestRecoveredOrder;
            reports.recovered = 0;
            reports.newestRecoveredOrder = 0;
            congestion.onLost(losses);
        }
        AckReport report = reports.acks;
        report.timeMs = timeMs;
        report.timeUs = clock.timeUs();
        report.smoothedRttMs = rtt.smoothedRttMs();
        report.mssBytes = mssBytes;
        report.fullSegmentBytes = mssBytes + SegmentHeader.LENGTH;
        report.acknowledged = datagram.acknowledged;
        report.unaAdvanced = datagram.unaAdvanced;
        report.remoteWindow = remoteWindow.segments();
        report.rttSampleMs = datagram.rttSampleMs;
        report.highestAckedOrder = detector.highestAckedOrder();
        report.nextOrder = detector.nextOrder();
        if (rate != null) {
            report.rate.resolutionUs = clock.resolutionUs();
            rate.complete(report.rate, detector.inFlightBytes(), report.timeUs);
        }
        congestion.onAcknowledged(report);
    }

    /**
     * Reports the losses that a flush has detected.
     *
     * @param detected        the number of segments at the end of the list of lost segments that the flush has detected
     * @param effectiveWindow the window that limits the flush, in segments
     */
    void onDetected(int detected, int effectiveWindow, int mssBytes) {
        if (!active || detected == 0) {
            return;
        }
        LossReport report = begin(reports.losses, effectiveWindow, mssBytes);
        Segment segment = window.lost().last();
        for (int i = 0; i < detected && segment != null; i++) {
            if (segment.lossCause == LossCause.TIMEOUT) {
                report.timedOut++;
                report.timedOutAgain |= segment.timeouts > 1;
            } else {
                report.skipped++;
            }
            segment.lostOrder = segment.order;
            if (rate != null) {
                rate.onLost(segment);
            }
            report.newestLostOrder = Math.max(report.newestLostOrder, segment.order);
            report.oldestLostOrder = Math.min(report.oldestLostOrder, segment.order);
            segment = segment.previous;
        }
        congestion.onLost(report);
    }

    private LossReport begin(LossReport report, int effectiveWindow, int mssBytes) {
        report.clear();
        report.timeUs = clock.timeUs();
        report.nextOrder = detector.nextOrder();
        report.span = window.span();
        report.effectiveWindow = effectiveWindow;
        report.fastResend = fastResend;
        report.mssBytes = mssBytes;
        return report;
    }

    /**
     * Reports the state after a flush.
     *
     * @param sent               the number of segments that the flush has sent
     * @param applicationLimited {@code true} if neither congestion control nor pacing limited the flush
     */
    void onFlushed(int sent, boolean applicationLimited, int timeMs, int mssBytes) {
        if (!active) {
            return;
        }
        if (rate != null && applicationLimited) {
            rate.onApplicationLimited(detector.inFlightBytes());
        }
        FlushReport report = reports.flush;
        report.timeMs = timeMs;
        report.timeUs = clock.timeUs();
        report.inFlightBytes = detector.inFlightBytes();
        report.mssBytes = mssBytes;
        report.sent = sent;
        report.inFlightSegments = detector.inFlight();
        report.applicationLimited = applicationLimited;
        report.nextOrder = detector.nextOrder();
        congestion.onFlushed(report);
    }

    /** Holds the report objects, which are reused for all calls, and counts recovered segments until the next report. */
    private static final class Reports {

        static final Reports UNUSED = new Reports();

        final AckReport acks = new AckReport();
        final LossReport losses = new LossReport();
        final FlushReport flush = new FlushReport();
        int recovered;
        long newestRecoveredOrder;
    }
}
