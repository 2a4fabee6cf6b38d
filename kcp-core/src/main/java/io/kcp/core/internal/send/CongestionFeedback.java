package io.kcp.core.internal.send;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.ShardArrivals;
import io.kcp.core.internal.congestion.AckReport;
import io.kcp.core.internal.congestion.BbrCongestionControl;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.congestion.CubicCongestionControl;
import io.kcp.core.internal.congestion.FlushReport;
import io.kcp.core.internal.congestion.KcpGoCongestionControl;
import io.kcp.core.internal.congestion.LossReport;
import io.kcp.core.internal.congestion.NoCongestionControl;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.loss.RecoveredSegments;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.memory.RetransmitReason;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.SessionClock;
import org.jspecify.annotations.Nullable;

/**
 * Owns the congestion control of a conversation and reports acknowledgements, losses and flushes to it. Reports acknowledgements to
 * {@link ShardArrivals}, too. Without congestion control and without {@code ShardArrivals}, no method does anything.
 */
public final class CongestionFeedback {

    /** Value of {@link #staleShare} if all acknowledgements were stale. */
    private static final int ALL = 1 << 12;
    private static final int STALE_SHIFT = 6;
    /** Share of stale acknowledgements above which the path reorders datagrams strongly. */
    private static final int REORDERING_SHARE = ALL / 8;

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
    private @Nullable ShardArrivals arrivals;
    private boolean active;
    /** Number of datagrams that are protected together with FEC parity, or 0 if no parity is sent. */
    private int fecDataShards;
    private @Nullable RecoveredSegments recovered; // null if no parity is sent
    private int fastResend;
    /** Moving average of the share of acknowledgements that were stale, from 0 to {@link #ALL}. Counted only if parity is sent. */
    private int staleShare;

    CongestionFeedback(LossDetector detector, SendWindow window, RemoteWindow remoteWindow, RttEstimator rtt,
        SessionClock clock, int seed) {
        this.detector = detector;
        this.window = window;
        this.remoteWindow = remoteWindow;
        this.rtt = rtt;
        this.clock = clock;
        this.seed = seed;
    }

    void reconfigure(KcpConfig config, int newFecDataShards, @Nullable ShardArrivals newArrivals) {
        fecDataShards = newFecDataShards;
        arrivals = newArrivals;
        fastResend = config.fastResend();
        if (algorithm != config.congestionControl()) {
            algorithm = config.congestionControl();
            active = algorithm != CongestionAlgorithm.NONE;
            reports = active ? new Reports() : Reports.UNUSED;
            start();
        }
        if (fecDataShards == 0) {
            recovered = null;
        } else if (recovered == null) {
            recovered = new RecoveredSegments(congestion);
        }
        detector.onParityChanged(recovered);
    }

    /** Starts with a new congestion control, because the estimates of the old path are not valid on a new one (RFC 9000, section 9.4). */
    void onPathChanged() {
        if (active) {
            reports.recovered = 0;
            reports.newestRecoveredOrder = 0;
            start();
        }
    }

    private void start() {
        congestion = create();
        staleShare = 0;
        rate = algorithm == CongestionAlgorithm.BBR ? new DeliveryRate(detector.nextOrder()) : null;
        if (recovered != null) {
            recovered.clear(congestion);
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

    public CongestionControl congestion() {
        return congestion;
    }

    /** Returns the segments that parity has apparently recovered, or null if no parity is sent. */
    @Nullable RecoveredSegments recovered() {
        return recovered;
    }

    /** Returns {@code true} if the algorithm sets a pacing rate. */
    boolean isPaced() {
        return algorithm == CongestionAlgorithm.CUBIC || algorithm == CongestionAlgorithm.BBR;
    }

    /** Records a transmission, after it was added to the segments in flight. */
    void onTransmitted(Segment segment) {
        if (rate != null) {
            rate.onTransmitted(segment, detector.pipeBytes(), clock.timeUs());
        }
    }

    /**
     * Records that an ACK has acknowledged a segment. Must be called before the segment is removed from its list.
     *
     * @param sentAtMs the time of the transmission to which the ACK belongs
     * @param timeMs   now
     */
    public void onAcknowledged(Segment segment, int sentAtMs, int timeMs) {
        boolean latest = segment.sentAtMs == sentAtMs;
        boolean latestArrived = latest && segment.list != window.lost();
        reportShard(segment, latestArrived);
        countStale(false);
        if (recovered != null && latestArrived && isRecovered(segment)) {
            recovered.add(segment, sentAtMs, timeMs);
        }
        if (!active) {
            return;
        }
        onLossResolved(segment, segment.transmissions == 1 || !latest && sentAtMs == segment.firstSentAtMs, timeMs);
        if (segment.list == window.lost() || !latest) {
            // The arrival of the first transmission shows that all losses were spurious. The arrival of a later one shows only that its own
            // loss was spurious.
            onSpuriousLoss(segment, sentAtMs == segment.firstSentAtMs ? segment.countedLosses : Math.min(segment.countedLosses, 1));
        }
        if (rate != null) {
            rate.onDelivered(segment, latest, clock.timeUs());
        }
    }

    /**
     * Records an ACK of a segment that was acknowledged before.
     *
     * @param sentAtMs the time of the transmission to which the ACK belongs
     * @param stale    {@code true} if an earlier datagram has acknowledged the segment, so that the datagram or its segment was overtaken
     * @return {@code true} if the ACK shows that the segment was late, and that parity has recovered it before it arrived
     */
    public boolean onRepeatedAck(int sn, int sentAtMs, boolean stale) {
        countStale(stale);
        return recovered != null && recovered.onRepeatedAck(sn, sentAtMs);
    }

    /** Records that an ACK has acknowledged a copy of a segment, whose latest transmission was therefore probably lost. */
    public void onCopyAcknowledged(Segment segment, int timeMs) {
        if (!active) {
            return;
        }
        onLossResolved(segment, false, timeMs);
        if (segment.list != window.lost()) {
            if (rate != null) {
                rate.onLost(segment);
            }
            reports.onRecovered(1, segment.order);
        }
        if (rate != null) {
            rate.onDelivered(segment, false, clock.timeUs());
        }
    }

    /** Records that {@code una} has acknowledged a segment that no ACK had acknowledged. */
    void onPassed(Segment segment, int timeMs) {
        countStale(false);
        reportShard(segment, segment.transmissions == 1 && segment.copies == 0 && segment.list != window.lost());
        if (!active) {
            return;
        }
        boolean earlier = segment.list == window.lost() || segment.transmissions > 1 && timeMs - segment.sentAtMs < rtt.shortestMs();
        onLossResolved(segment, earlier && segment.copies == 0, timeMs);
        if (earlier) {
            // The una acknowledges an earlier transmission: it arrived before the retransmission, or within less than the shortest round
            // trip after it. If copies were sent, one of them has probably arrived instead, so the loss was not spurious.
            if (segment.copies == 0) {
                onSpuriousLoss(segment, Math.min(segment.countedLosses, 1));
            }
        }
        if (rate != null) {
            rate.onDelivered(segment, false, clock.timeUs());
        }
    }

    /**
     * Reports the acknowledgement of a segment. A segment that is considered lost was probably recovered by FEC.
     *
     * @param latest {@code true} if the latest transmission has arrived
     */
    private void reportShard(Segment segment, boolean latest) {
        if (arrivals == null) {
            return;
        }
        if (latest) {
            arrivals.onArrived(segment.shard);
        } else if (segment.list != window.lost()) {
            arrivals.onUncertain(segment.shard);
        }
    }

    /**
     * Records that transmissions that were considered lost have arrived. If parity is sent and the path does not reorder datagrams, the
     * peer has probably recovered the segment, so that the transmission was lost indeed.
     */
    private void onSpuriousLoss(Segment segment, int losses) {
        if (losses == 0 || parityExplainsDelay()) {
            return;
        }
        segment.countedLosses -= losses;
        if (rate != null) {
            rate.onSpuriousLoss(segment, losses);
        }
    }

    /**
     * Reports whether the losses of a segment were real or spurious, now that the segment has arrived. If parity is sent, this is not known
     * until {@link RecoveredSegments} has determined if the peer has recovered the segment. A segment that was reported lost more than once
     * counts as lost, because its losses may belong to different episodes.
     *
     * @param first {@code true} if the first transmission of the segment has arrived
     */
    private void onLossResolved(Segment segment, boolean first, int timeMs) {
        if (segment.lossEvent != 0) {
            int losses = segment.transmissions - (segment.list == window.lost() ? 0 : 1);
            boolean spurious = first && losses == 1;
            if (spurious && recovered != null && !isStronglyReordering()) {
                recovered.add(segment, segment.firstSentAtMs, timeMs);
            } else {
                congestion.onLossResolved(segment.lossEvent, spurious);
            }
        }
    }

    /** Returns {@code true} if late acknowledgements are more likely caused by parity than by reordering. */
    private boolean parityExplainsDelay() {
        return recovered != null && !recovered.isReordering() && !isStronglyReordering();
    }

    private void countStale(boolean stale) {
        if (recovered != null) {
            staleShare += (stale ? ALL : 0) - staleShare >> STALE_SHIFT;
        }
    }

    /**
     * Returns {@code true} if the path reorders so many datagrams that a segment which others have overtaken was probably late. Most late
     * segments arrive before parity could recover them, so that the peer acknowledges them only once.
     */
    private boolean isStronglyReordering() {
        return staleShare > REORDERING_SHARE;
    }

    /**
     * Returns {@code true} if the peer has apparently recovered a segment with FEC parity. A recovered segment is acknowledged when its
     * group is complete, so up to a group of later segments overtakes it. A segment is considered late instead if fewer segments than half
     * of a group have overtaken it, or more than two groups. The {@code una} does not reveal a recovery, because the ACKs before it may
     * have been lost.
     */
    private boolean isRecovered(Segment segment) {
        long overtaking = detector.highestAckedOrder() - segment.order;
        return segment.lossEvent == 0 && detector.isOvertaken(segment) && !isStronglyReordering()
            && overtaking >= fecDataShards >> 1 && overtaking <= fecDataShards << 1;
    }

    private void takeRecovered(RecoveredSegments segments, int timeMs) {
        int lost = segments.takeLost(timeMs, rtt.smoothedRttMs());
        if (lost > 0 && active) {
            reports.onRecovered(lost, segments.newestLostOrder());
            if (rate != null) {
                rate.onRecovered(segments.takenBytes());
            }
        }
    }

    /** Reports the acknowledgements of a datagram. */
    void onDatagram(DatagramReport datagram, int timeMs, int mssBytes) {
        if (arrivals != null && datagram.acknowledged > 0) {
            arrivals.onAcknowledgementsRead();
        }
        if (recovered != null) {
            takeRecovered(recovered, timeMs);
        }
        if (!active) {
            return;
        }
        if (reports.recovered > 0) {
            LossReport losses = begin(reports.losses, 0, mssBytes);
            losses.recovered = reports.recovered;
            losses.newestLostOrder = reports.newestRecoveredOrder;
            reports.recovered = 0;
            reports.newestRecoveredOrder = 0;
            congestion.onLost(losses);
        }
        if (detector.stall().takeUndo()) {
            congestion.onInterruptionUndone();
        }
        AckReport report = reports.acks;
        report.timeMs = timeMs;
        report.timeUs = clock.timeUs();
        report.smoothedRttMs = rtt.smoothedRttMs();
        report.mssBytes = mssBytes;
        report.fullSegmentBytes = mssBytes + SegmentHeader.LENGTH;
        report.acknowledged = datagram.acknowledged;
        report.unaAdvanced = datagram.unaAdvanced;
        report.peerDelaysAcks = datagram.peerDelaysAcks;
        report.remoteWindow = remoteWindow.segments();
        report.rttSampleMs = datagram.rttSampleMs;
        report.highestAckedOrder = detector.highestAckedOrder();
        report.nextOrder = detector.nextOrder();
        if (rate != null) {
            report.rate.resolutionUs = clock.resolutionUs();
            rate.complete(report.rate, detector.pipeBytes(), report.timeUs);
            if (datagram.bytes == 0) {
                // FEC recovered the datagram, which was therefore late.
                report.rate.rttUs = -1;
            }
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
        boolean interrupted = detector.takeInterruption();
        if (!active || detected == 0 && !interrupted) {
            return;
        }
        LossReport report = begin(reports.losses, effectiveWindow, mssBytes);
        report.interrupted = interrupted;
        Segment segment = window.lost().last();
        for (int i = 0; i < detected && segment != null; i++, segment = segment.previous) {
            if (detector.stall().isPresumedLost(segment) && algorithm != CongestionAlgorithm.KCP_GO) {
                // The report of the interruption covers the segment.
                continue;
            }
            if (segment.retransmitReason == RetransmitReason.TIMEOUT) {
                report.timedOut++;
                report.timedOutAgain |= segment.timeouts > 1;
            } else {
                report.skipped++;
            }
            segment.countedLosses++;
            segment.lossEvent = report.event;
            if (rate != null) {
                rate.onLost(segment);
            }
            report.newestLostOrder = Math.max(report.newestLostOrder, segment.order);
        }
        if (interrupted || report.lost() > 0) {
            congestion.onLost(report);
        }
    }

    private LossReport begin(LossReport report, int effectiveWindow, int mssBytes) {
        report.clear();
        reports.events = Math.max(1, reports.events + 1);
        report.event = reports.events;
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
     * @param sent        the number of segments that the flush has sent
     * @param unlimited   {@code true} if neither congestion control nor pacing limited the flush
     * @param dataMissing {@code true} if it was unlimited, and neither the send window nor the peer's window was full, so that the
     *                    following acknowledgements say less than the bandwidth of the path
     */
    void onFlushed(int sent, boolean unlimited, boolean dataMissing, int timeMs, int mssBytes) {
        if (!active) {
            return;
        }
        if (rate != null && dataMissing) {
            rate.onApplicationLimited(detector.pipeBytes());
        }
        FlushReport report = reports.flush;
        report.timeMs = timeMs;
        report.timeUs = clock.timeUs();
        report.mssBytes = mssBytes;
        report.sent = sent;
        report.inFlightSegments = detector.pipeSegments();
        report.unlimited = unlimited;
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
        /** Number of the latest loss event. */
        int events;

        void onRecovered(int segments, long newestOrder) {
            recovered += segments;
            newestRecoveredOrder = Math.max(newestRecoveredOrder, newestOrder);
        }
    }
}
