package io.kcp.core;

/** Applies the acknowledgements of datagrams: ACK segments, and the fields {@code una} and {@code wnd} of every segment. */
final class AckReader {

    private final int timestampBase;
    private final KcpCounters counters;
    private final SendWindow sendWindow;
    private final LossDetector detector;
    private final RemoteWindow remoteWindow;
    private final Transmitter transmitter;
    private final RttEstimator rtt;
    private final LivenessProbe livenessProbe;
    private boolean everAcknowledged;
    /** Shortest time from a transmission to its acknowledgement so far, in milliseconds; 0 before the first one. */
    private int shortestRoundTripMs;
    private boolean roundTripKnown;

    AckReader(int timestampBase, KcpCounters counters, Sender sender, RttEstimator rtt, LivenessProbe livenessProbe) {
        this.timestampBase = timestampBase;
        this.counters = counters;
        this.rtt = rtt;
        this.livenessProbe = livenessProbe;
        sendWindow = sender.window();
        detector = sender.detector();
        remoteWindow = sender.remoteWindow();
        transmitter = sender.transmitter();
    }

    /** Returns {@code true} if a {@code una} has ever acknowledged a segment. */
    boolean everAcknowledged() {
        return everAcknowledged;
    }

    /** Returns {@code true} if a segment acknowledges one that was never sent. */
    boolean isForged(int cmd, int sn, int una) {
        int nextSn = sendWindow.nextSn();
        return SerialNumber.isAfter(una, nextSn) || cmd == SegmentHeader.CMD_ACK && SerialNumber.diff(sn, nextSn) >= 0;
    }

    /**
     * Acknowledges the segment that an ACK names. Every KCP echoes {@code ts} verbatim, also for duplicates and for segments
     * recovered by FEC, so an ACK with a {@code ts} outside the time from the first to the latest transmission is forged or
     * corrupt. It acknowledges nothing.
     */
    void readAck(int sn, int ts, int timeMs, DatagramReport report) {
        Segment segment = sendWindow.find(sn);
        if (segment == null) {
            report.verified |= livenessProbe.isAnsweredBy(sn, ts);
            return;
        }
        int sentAtMs = ts - timestampBase;
        if (sentAtMs - segment.firstSentAtMs < 0 || segment.sentAtMs - sentAtMs < 0) {
            counters.unverifiedAcknowledgements++;
            return;
        }
        int roundTripMs = timeMs - sentAtMs;
        if (roundTripMs >= 0 && roundTripMs <= RttEstimator.MAX_RTO_MS) {
            report.rttSampleMs = roundTripMs;
            shortestRoundTripMs = roundTripKnown ? Math.min(shortestRoundTripMs, roundTripMs) : roundTripMs;
            roundTripKnown = true;
        }
        boolean awaitsRetransmission = segment.list == sendWindow.lost();
        detector.onAcknowledged(segment, sentAtMs, timeMs);
        if (segment.sentAtMs != sentAtMs || awaitsRetransmission) {
            // The peer acknowledged an earlier copy, so a retransmission that was already sent was spurious.
            counters.spuriousRetransmissions += awaitsRetransmission ? 0 : 1;
            transmitter.onSpuriousLoss();
        }
        sendWindow.acknowledge(segment);
        report.acknowledged++;
        report.verified = true;
    }

    /** Notes a WINS, which may answer a window probe. */
    void readWindowAnswer(DatagramReport report) {
        report.verified |= livenessProbe.isAnsweredByWindow(everAcknowledged);
    }

    /**
     * Applies {@code una} and {@code wnd} of a segment, unless {@code una} acknowledges a segment sooner than half the
     * shortest round trip so far. Such a {@code una} is forged, or the path has become much shorter; then a verified ACK or
     * a later {@code una} acknowledges the segment.
     *
     * @return {@code true} if the segment is not older than the newest one received
     */
    boolean readUna(int una, int wnd, boolean recovered, int timeMs, DatagramReport report) {
        int before = sendWindow.oldestUnacked();
        if (SerialNumber.isAfter(una, before)) {
            Segment newest = sendWindow.find(una - 1);
            if (newest != null && timeMs - newest.firstSentAtMs < shortestRoundTripMs >> 1) {
                counters.unverifiedAcknowledgements++;
                return false;
            }
        }
        boolean current = remoteWindow.update(una, wnd, recovered);
        if (SerialNumber.isAfter(una, before)) {
            detectSpuriousRetransmission(before, timeMs);
            report.acknowledged += sendWindow.acknowledgeBefore(una);
            report.unaAdvanced = true;
            report.verified = true;
            everAcknowledged = true;
        }
        return current;
    }

    /**
     * Detects that the oldest segment was retransmitted although it had arrived, in case the ACK of its earlier copy was lost: then
     * {@code una} acknowledges it much sooner after the latest copy than a round trip takes.
     */
    private void detectSpuriousRetransmission(int sn, int timeMs) {
        Segment oldest = sendWindow.find(sn);
        if (oldest != null && rtt.isSampled() && (oldest.list == sendWindow.lost()
            || oldest.transmissions > 1 && timeMs - oldest.sentAtMs < rtt.smoothedRttMs() >> 1)) {
            transmitter.onSpuriousLoss();
        }
    }
}
