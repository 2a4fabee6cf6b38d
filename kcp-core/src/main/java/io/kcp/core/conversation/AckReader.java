package io.kcp.core.conversation;

import io.kcp.core.PathProof;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.MtuBlackHoleDetector;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.path.PathMtu;
import io.kcp.core.internal.peer.LivenessProbe;
import io.kcp.core.internal.send.CongestionFeedback;
import io.kcp.core.internal.send.RedundantCopies;
import io.kcp.core.internal.send.RemoteWindow;
import io.kcp.core.internal.send.SendWindow;
import io.kcp.core.internal.send.Sender;
import io.kcp.core.internal.send.Transmitter;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.KcpCounters;

/** Processes the acknowledgements in inbound datagrams: ACK segments, and the fields {@code una} and {@code wnd} of every segment. */
final class AckReader {

    private final int timestampBase;
    private final KcpCounters counters;
    private final SendWindow sendWindow;
    private final LossDetector detector;
    private final RemoteWindow remoteWindow;
    private final CongestionFeedback feedback;
    private final Transmitter transmitter;
    private final RttEstimator rtt;
    private final LivenessProbe livenessProbe;
    private final AmplificationLimit limit;
    private final MtuBlackHoleDetector blackHole;
    private final PathMtu mtu;
    private boolean everAcknowledged;
    /** {@code true} if the path has changed at {@link #pathStartMs} and no later transmission has been acknowledged. */
    private boolean pathChanged;
    private int pathStartMs;

    AckReader(int timestampBase, KcpCounters counters, Sender sender, RttEstimator rtt, LivenessProbe livenessProbe,
        AmplificationLimit limit, PathMtu mtu) {
        this.timestampBase = timestampBase;
        this.counters = counters;
        this.rtt = rtt;
        this.livenessProbe = livenessProbe;
        this.limit = limit;
        this.mtu = mtu;
        transmitter = sender.transmitter();
        blackHole = transmitter.blackHole();
        sendWindow = sender.window();
        detector = sender.detector();
        remoteWindow = sender.remoteWindow();
        feedback = transmitter.feedback();
    }

    /** Returns {@code true} if the {@code una} of an inbound segment has ever acknowledged a segment. */
    boolean everAcknowledged() {
        return everAcknowledged;
    }

    /** Returns {@code true} if an inbound segment acknowledges a segment number that was never sent. */
    boolean isForged(int cmd, int sn, int una) {
        int nextSn = sendWindow.nextSn();
        return SerialNumber.isAfter(una, nextSn) || cmd == SegmentHeader.CMD_ACK && SerialNumber.diff(sn, nextSn) >= 0;
    }

    /**
     * Processes an ACK, which acknowledges the one segment that has the same {@code sn}. Every KCP implementation echoes {@code ts}
     * verbatim, even for duplicates and for segments recovered by FEC. An ACK whose {@code ts} lies outside the period from the first to
     * the latest transmission of the segment is therefore forged or corrupt, and is ignored.
     *
     * @param repeated {@code true} if the peer has sent the same ACK before
     * @param timed    {@code true} if the delay of the ACK is that of the path, because the ACK is not repeated and FEC has not recovered
     *                 its datagram
     */
    void readAck(int sn, int ts, boolean repeated, boolean timed, int timeMs, DatagramReport report) {
        Segment segment = sendWindow.find(sn);
        if (segment == null && repeated) {
            return;
        }
        if (segment == null) {
            if (livenessProbe.isAnsweredBy(sn, ts)) {
                report.verified = true;
                report.echoed = true;
                blackHole.onSmallArrived(ts - timestampBase, rtt.rtoMs(), timeMs);
            }
            report.verified |= mtu.isProbeAnsweredBy(sn, ts);
            int roundTripMs = timeMs - (ts - timestampBase);
            if (limit.isAnsweredBy(sn, ts)) {
                report.verified = true;
                report.echoed = true;
                if (timed) {
                    sampleProbe(roundTripMs, report);
                }
            }
            report.onStrayAck(sn, ts);
            boolean late = feedback.onRepeatedAck(sn, ts - timestampBase, !report.unaAdvanced);
            if (timed) {
                if (late) {
                    detector.onLateArrival(roundTripMs, timeMs);
                }
                readPassed(sn, ts - timestampBase, timeMs, report);
            }
            return;
        }
        int sentAtMs = ts - timestampBase;
        if (sentAtMs - segment.firstSentAtMs < 0 || segment.latestSentAtMs() - sentAtMs < 0 || isGuess(segment, sentAtMs)) {
            counters.unverifiedAcknowledgements++;
            return;
        }
        report.echoed = true;
        if (timed && !detector.stall().isDelayed(segment)) {
            sampleRoundTrip(timeMs, sentAtMs, report);
        }
        boolean awaitsRetransmission = segment.list == sendWindow.lost();
        if (timed) {
            detector.onAcknowledged(segment, sentAtMs, timeMs);
        } else {
            detector.onUntimedAck(segment, sentAtMs, timeMs);
        }
        if (segment.isCopyEcho(sentAtMs)) {
            feedback.onCopyAcknowledged(segment, timeMs);
            sendWindow.acknowledge(segment);
            report.acknowledged++;
            report.verified = true;
            return;
        }
        if (segment.sentAtMs != sentAtMs || awaitsRetransmission) {
            // The peer has acknowledged a transmission that was considered lost. If the segment has already been retransmitted, that
            // retransmission was spurious.
            counters.spuriousRetransmissions += awaitsRetransmission ? 0 : 1;
            RedundantCopies copies = transmitter.copies();
            if (copies != null) {
                copies.onSpuriousLoss();
            }
        }
        feedback.onAcknowledged(segment, sentAtMs, timeMs);
        if (segment.sentAtMs == sentAtMs) {
            blackHole.onArrived(segment, rtt.rtoMs(), timeMs);
        }
        sendWindow.acknowledge(segment);
        report.acknowledged++;
        report.verified = true;
    }

    /** Ignores the round trips of earlier transmissions, because the path has changed. */
    void onPathChanged(int timeMs) {
        pathChanged = true;
        pathStartMs = timeMs;
        mtu.onPathChanged();
    }

    /** Returns {@code true} if an ACK is the response to the latest probe for a larger MTU. */
    boolean isMtuProbe(int sn, int ts) {
        return mtu.hasProbed(sn, ts);
    }

    /** Returns {@code true} if a transmission used the path before the latest change. */
    private boolean isOfEarlierPath(int sentAtMs) {
        // The first acknowledgement on the new path ends the check, because the clock wraps.
        pathChanged &= sentAtMs - pathStartMs < 0;
        return pathChanged;
    }

    /**
     * Returns {@code true} if an ACK must not validate the peer. A segment that is retransmitted for 30 s has 30,000 plausible values of
     * {@code ts}, so an attacker could guess one of them. Until the peer is validated, only the first and the latest transmission count.
     */
    private boolean isGuess(Segment segment, int sentAtMs) {
        return limit.isActive() && sentAtMs != segment.firstSentAtMs && sentAtMs != segment.sentAtMs;
    }

    private void sampleRoundTrip(int timeMs, int sentAtMs, DatagramReport report) {
        int roundTripMs = timeMs - sentAtMs;
        if (roundTripMs >= 0 && roundTripMs <= ProtocolConstants.MAX_RTO_MS && !isOfEarlierPath(sentAtMs)) {
            report.rttSampleMs = roundTripMs;
            rtt.onRoundTrip(roundTripMs);
        }
    }

    /**
     * Reads the ACK of a segment that the {@code una} of an earlier ACK in the same datagram has passed. The C original acknowledges the
     * copies in a datagram before the new segment, so this ACK is the only round-trip sample of the new segment. A replayed datagram yields
     * no sample, because its {@code una} passes no segment.
     */
    private void readPassed(int sn, int sentAtMs, int timeMs, DatagramReport report) {
        if (report.unaAdvanced && report.rttSampleMs < 0 && sn == sendWindow.oldestUnacked() - 1
            && !detector.stall().isDelayed(sendWindow.passedOrder()) && sendWindow.examineEcho(sn, sentAtMs) == PathProof.PROOF) {
            sampleRoundTrip(timeMs, sentAtMs, report);
            detector.onPassedAcknowledged(sendWindow.passedOrder(), timeMs - sentAtMs, timeMs);
        }
    }

    private void sampleProbe(int roundTripMs, DatagramReport report) {
        if (limit.isProbeTimed() && roundTripMs >= 0 && roundTripMs <= ProtocolConstants.MAX_RTO_MS) {
            report.rttSampleMs = roundTripMs;
        }
    }

    /** Processes a WINS segment, which may be the response to a window probe. */
    void readWindowAnswer(DatagramReport report) {
        report.verified |= livenessProbe.isAnsweredByWindow(everAcknowledged);
    }

    /**
     * Processes the {@code una} and {@code wnd} of an inbound segment. Both are ignored if {@code una} acknowledges a segment sooner than
     * half the shortest measured round-trip time after its first transmission. Such a {@code una} is forged, unless the path has become
     * much shorter. Even then the segment is acknowledged, by a verified ACK or a later {@code una}.
     *
     * @return {@code true} if the segment is not older than the newest one received
     */
    boolean readUna(int una, int wnd, boolean recovered, int timeMs, DatagramReport report) {
        int before = sendWindow.oldestUnacked();
        if (SerialNumber.isAfter(una, before)) {
            Segment newest = sendWindow.find(una - 1);
            if (newest != null && timeMs - newest.firstSentAtMs < rtt.shortestMs() >> 1) {
                counters.unverifiedAcknowledgements++;
                return false;
            }
        }
        boolean current = remoteWindow.update(una, wnd, recovered);
        if (SerialNumber.isAfter(una, before)) {
            onOldestArrived(before, timeMs);
            report.acknowledged += sendWindow.acknowledgeBefore(una, feedback, timeMs);
            report.unaAdvanced = true;
            report.verified = true;
            everAcknowledged = true;
        }
        return current;
    }

    /** Records the arrival of the oldest segment if its datagram was large, as evidence that the path does not lose large datagrams. */
    private void onOldestArrived(int sn, int timeMs) {
        Segment oldest = sendWindow.find(sn);
        if (oldest != null && oldest.large) {
            blackHole.onArrived(oldest, rtt.rtoMs(), timeMs);
        }
    }
}
