package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * Sends lost segments and then new segments as far as the windows allow. Implements step 3 of section 2.10 of {@code wire-format.md}.
 * Visits only the segments that it sends and the heads of the {@link LossDetector}'s lists.
 */
final class Transmitter {

    private final int timestampBase;
    private final KcpCounters counters;
    private final SendQueue queue;
    private final SendWindow window;
    private final LossDetector detector;
    private final RemoteWindow remoteWindow;
    private final DatagramWriter writer;
    private final RttEstimator rtt;
    private final MtuBlackHole blackHole;
    private CongestionControl congestion = CongestionControl.NONE;
    private @Nullable AckReport ackReport;
    private @Nullable LossReport lossReport;
    private Pacer pacer = Pacer.UNLIMITED;
    private int sendWindow;
    private int maxTransmissions;
    private int fastResend;
    private boolean exhausted;

    Transmitter(int timestampBase, KcpCounters counters, SendQueue queue, SendWindow window, LossDetector detector,
        RemoteWindow remoteWindow, DatagramWriter writer, RttEstimator rtt) {
        this.timestampBase = timestampBase;
        this.counters = counters;
        this.queue = queue;
        this.window = window;
        this.detector = detector;
        this.remoteWindow = remoteWindow;
        this.writer = writer;
        this.rtt = rtt;
        blackHole = writer.blackHole();
    }

    void reconfigure(KcpConfig config) {
        sendWindow = config.sendWindow();
        maxTransmissions = config.maxTransmissions();
        fastResend = config.fastResend();
        pacer = Pacer.of(config, pacer);
        if (congestion.algorithm() != config.congestionControl()) {
            congestion = CongestionControl.of(config.congestionControl());
            boolean reports = config.congestionControl() != CongestionAlgorithm.NONE;
            ackReport = reports ? new AckReport() : null;
            lossReport = reports ? new LossReport() : null;
        }
    }

    MtuBlackHole blackHole() {
        return blackHole;
    }

    CongestionControl congestion() {
        return congestion;
    }

    /** Returns {@code true} if a segment was transmitted {@link KcpConfig#maxTransmissions()} times. */
    boolean isExhausted() {
        return exhausted;
    }

    /** Returns {@code true} if the windows have room for a queued segment. */
    boolean canAdmit() {
        return !queue.isEmpty() && window.span() < effectiveWindow();
    }

    private int effectiveWindow() {
        return Math.min(Math.min(sendWindow, remoteWindow.segments()), congestion.spanLimit());
    }

    /**
     * Sends all segments that may be sent now.
     *
     * @return {@code true} if only {@code maxSegments} prevented more segments from being sent
     */
    boolean transmit(int timeMs, int mssBytes, int maxSegments) {
        boolean nothingNew = !canAdmit();
        int limit = effectiveWindow();
        int detected = detector.detect(window.lost(), window.blocking(), timeMs, nothingNew);
        LossReport report = lossReport;
        if (report != null) {
            fill(report, detected, limit, mssBytes);
        }
        int allowance = congestion.allowance(detector.inFlight(), timeMs);
        boolean cut = allowance > maxSegments;
        allowance = Math.min(allowance, maxSegments);
        pacer.refill(timeMs);
        int sent = 0;
        while (sent < allowance && pacer.mayPass()) {
            Segment lost = window.nextLost();
            if (lost == null || !writer.mayPush(lost.payloadBytes)) {
                break;
            }
            window.lost().remove(lost);
            countRetransmission(lost);
            blackHole.onLost(lost, rtt.rtoMs(), timeMs);
            send(lost, timeMs);
            sent++;
        }
        while (sent < allowance && window.span() < limit && pacer.mayPass()) {
            Segment segment = queue.first();
            if (segment == null || !writer.mayPush(segment.payloadBytes)) {
                break;
            }
            queue.poll();
            window.admit(segment);
            segment.firstSentAtMs = timeMs;
            send(segment, timeMs);
            sent++;
        }
        if (sent > 0) {
            congestion.onTransmitted(sent, detector.inFlight(), timeMs);
        }
        if (report != null) {
            congestion.onFlushed(report);
        }
        return cut && sent == allowance && pacer.mayPass() && (!window.lost().isEmpty() || canAdmit());
    }

    private void send(Segment segment, int timeMs) {
        segment.transmissions++;
        exhausted |= maxTransmissions > 0 && segment.transmissions >= maxTransmissions;
        detector.onTransmitted(segment, timeMs);
        // Updates the pacer before calling push(), because push() may write a datagram that is acknowledged immediately, and the
        // acknowledgement recycles the segment.
        pacer.onSent(SegmentHeader.LENGTH + segment.payloadBytes);
        writer.push(segment, timeMs + timestampBase);
    }

    /** Returns the milliseconds until a queued or lost segment may be sent, or {@link Kcp#NO_DEADLINE} if there is none. */
    int msUntilTransmission(int timeMs, boolean delayed, int delayedUntilMs) {
        boolean lost = !window.lost().isEmpty();
        if (!lost && !canAdmit()) {
            // The congestion window of kcp-go starts at 0, so a first flush is needed to open it.
            return congestion.spanLimit() == 0 && !queue.isEmpty() && remoteWindow.segments() > 0 ? 0 : Kcp.NO_DEADLINE;
        }
        int wait = Math.max(congestion.msUntilAllowance(detector.inFlight(), timeMs), pacer.msUntilPass(timeMs));
        return lost || !delayed ? wait : Math.max(wait, delayedUntilMs - timeMs);
    }

    /** Passes the acknowledgements of a datagram to congestion control. */
    void onDatagram(DatagramReport datagram, RttEstimator rtt, int timeMs, int mssBytes) {
        AckReport report = ackReport;
        if (report == null) {
            return;
        }
        report.timeMs = timeMs;
        report.smoothedRttMs = rtt.smoothedRttMs();
        report.mssBytes = mssBytes;
        report.acknowledged = datagram.acknowledged;
        report.unaAdvanced = datagram.unaAdvanced;
        report.remoteWindow = remoteWindow.segments();
        report.rttSampleMs = datagram.rttSampleMs;
        report.highestAckedOrder = detector.highestAckedOrder();
        report.nextOrder = detector.nextOrder();
        congestion.onAcknowledged(report);
    }

    /** Notifies congestion control that a retransmission was spurious. */
    void onSpuriousLoss() {
        congestion.onSpuriousLoss();
    }

    private void countRetransmission(Segment segment) {
        LossCause cause = segment.lossCause;
        if (cause == LossCause.FAST) {
            counters.fastRetransmissions++;
        } else if (cause == LossCause.EARLY) {
            counters.earlyRetransmissions++;
        } else {
            counters.timeoutRetransmissions++;
        }
    }

    private void fill(LossReport report, int detected, int limit, int mssBytes) {
        report.skipped = 0;
        report.timedOut = 0;
        report.timedOutAgain = false;
        report.newestLostOrder = 0;
        Segment segment = window.lost().last();
        for (int i = 0; i < detected && segment != null; i++) {
            if (segment.lossCause == LossCause.TIMEOUT) {
                report.timedOut++;
                report.timedOutAgain |= segment.timeouts > 1;
            } else {
                report.skipped++;
            }
            report.newestLostOrder = Math.max(report.newestLostOrder, segment.order);
            segment = segment.previous;
        }
        report.nextOrder = detector.nextOrder();
        report.span = window.span();
        report.effectiveWindow = limit;
        report.fastResend = fastResend;
        report.mssBytes = mssBytes;
    }
}
