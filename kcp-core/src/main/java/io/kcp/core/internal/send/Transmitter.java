package io.kcp.core.internal.send;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.congestion.Pacer;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.datagram.MtuBlackHoleDetector;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.memory.RetransmitReason;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.session.KcpCounters;
import io.kcp.core.internal.session.SessionClock;
import org.jspecify.annotations.Nullable;

/**
 * Sends lost segments and then new segments as far as the windows allow. Implements step 3 of section 2.10 of {@code wire-format.md}.
 * Visits only the segments that it sends and the heads of the {@link LossDetector}'s lists.
 */
public final class Transmitter {

    private final int timestampBase;
    private final KcpCounters counters;
    private final SendQueue queue;
    private final SendWindow window;
    private final LossDetector detector;
    private final RemoteWindow remoteWindow;
    private final DatagramWriter writer;
    private final RttEstimator rtt;
    private final MtuBlackHoleDetector blackHole;
    private final CongestionFeedback feedback;
    private Pacer pacer = Pacer.UNLIMITED;
    private @Nullable RedundantCopies copies; // null unless copies are sent
    private @Nullable WindowPace windowPace; // null if congestion control sets the pace, or if the window is a single burst
    private int sendWindow;
    private int maxTransmissions;
    private boolean exhausted;

    Transmitter(int timestampBase, KcpCounters counters, SendQueue queue, SendWindow window, LossDetector detector,
        RemoteWindow remoteWindow, DatagramWriter writer, RttEstimator rtt, SessionClock clock) {
        this.timestampBase = timestampBase;
        this.counters = counters;
        this.queue = queue;
        this.window = window;
        this.detector = detector;
        this.remoteWindow = remoteWindow;
        this.writer = writer;
        this.rtt = rtt;
        blackHole = writer.blackHole();
        feedback = new CongestionFeedback(detector, window, remoteWindow, rtt, clock, writer.conv());
    }

    void reconfigure(KcpConfig config, int fecDataShards) {
        sendWindow = config.maxSendWindow();
        maxTransmissions = config.maxTransmissions();
        feedback.reconfigure(config, fecDataShards, writer.refreshArrivals());
        if (config.redundancy() == Redundancy.OFF) {
            copies = null;
        } else {
            copies = copies == null ? new RedundantCopies(window, detector) : copies;
            copies.reconfigure(config);
        }
        if (config.congestionControl() != CongestionAlgorithm.NONE || sendWindow <= WindowPace.BURST_SEGMENTS) {
            windowPace = null;
        } else if (windowPace == null) {
            windowPace = new WindowPace();
        }
        if (config.maxBytesPerSecond() == 0 && !feedback.isPaced() && windowPace == null) {
            pacer = Pacer.UNLIMITED;
        } else {
            // Keeps the tokens of the current pacer when one limit replaces another.
            pacer = pacer == Pacer.UNLIMITED ? new Pacer() : pacer;
            pacer.configure(config.maxBytesPerSecond(), config.mtuBytes());
        }
    }

    public MtuBlackHoleDetector blackHole() {
        return blackHole;
    }

    /** Returns the object that sends copies of unacknowledged segments, or null if {@link KcpConfig#redundancy()} is off. */
    public @Nullable RedundantCopies copies() {
        return copies;
    }

    public CongestionFeedback feedback() {
        return feedback;
    }

    /** Returns {@code true} if a segment was transmitted {@link KcpConfig#maxTransmissions()} times. */
    public boolean isExhausted() {
        return exhausted;
    }

    /** Returns {@code true} if the windows have room for a queued segment. */
    boolean canAdmit() {
        return canAdmit(effectiveWindow());
    }

    private boolean canAdmit(int limit) {
        return !queue.isEmpty() && window.span() < limit;
    }

    private int effectiveWindow() {
        return Math.min(Math.min(sendWindow, remoteWindow.segments()), feedback.congestion().spanLimit());
    }

    /**
     * Sends all segments that may be sent now.
     *
     * @return {@code true} if only {@code maxSegments} prevented more segments from being sent
     */
    boolean transmit(int timeMs, long timeUs, int mssBytes, int maxSegments) {
        CongestionControl congestion = feedback.congestion();
        int limit = effectiveWindow();
        int detected = detector.detect(window.lost(), window.blocking(), timeMs, !canAdmit(limit));
        feedback.onDetected(detected, limit, mssBytes);
        if (copies != null && detected > 0) {
            copies.onDetected(detected);
        }
        if (windowPace != null) {
            windowPace.update(limit, mssBytes, rtt);
        }
        refillPacer(timeUs, congestion);
        int inFlightLimit = congestion.maxSegmentsInFlight();
        long inFlightBytesLimit = congestion.maxBytesInFlight();
        if (detected > 0 && detector.pipeSegments() >= inFlightLimit) {
            // A fast retransmission does not wait until the reduced window has room (RFC 5681, section 3.2).
            inFlightLimit = detector.pipeSegments() + 1;
        }
        int sent = 0;
        boolean refused = false;
        while (sent < maxSegments && hasRoom(inFlightLimit, inFlightBytesLimit) && pacer.mayPass()) {
            Segment lost = window.nextLost();
            refused = lost != null && !writer.mayPush(lost.payloadBytes);
            if (lost == null || refused) {
                break;
            }
            window.lost().remove(lost);
            countRetransmission(lost);
            blackHole.onLost(lost, rtt.rtoMs(), timeMs);
            send(lost, timeMs, null);
            sent++;
        }
        while (sent < maxSegments && hasRoom(inFlightLimit, inFlightBytesLimit) && window.span() < limit && pacer.mayPass()) {
            Segment segment = queue.first();
            refused = segment != null && !writer.mayPush(segment.payloadBytes);
            if (segment == null || refused) {
                break;
            }
            queue.poll();
            window.admit(segment);
            segment.firstSentAtMs = timeMs;
            sendNew(segment, timeMs);
            sent++;
        }
        if (copies != null && maxSegments > 0) {
            copies.appendDelayed(writer, pacer, timeMs, timeMs + timestampBase);
        }
        boolean hasRoom = hasRoom(congestion.maxSegmentsInFlight(), congestion.maxBytesInFlight());
        boolean maySendMore = pacer.mayPass() && hasRoom;
        boolean pending = !window.lost().isEmpty() || canAdmit(limit);
        // The last waiting segment may have overdrawn the pacer, which then limits nothing. A flush that the amplification limit ended
        // reveals nothing about the bandwidth of the path.
        boolean unlimited = hasRoom && !pending || maySendMore && refused;
        // With a full window, the path has as much data as the peer permits, so what it delivers shows its bandwidth.
        boolean dataMissing = unlimited && (refused || window.span() < limit);
        feedback.onFlushed(sent, unlimited, dataMissing, timeMs, mssBytes);
        // Asks for the window again, because kcp-go's congestion control opens it at the end of the first flush.
        return sent == maxSegments && maySendMore && (!window.lost().isEmpty() || canAdmit());
    }

    private void refillPacer(long timeUs, CongestionControl congestion) {
        WindowPace pace = windowPace;
        if (pace == null) {
            pacer.refill(timeUs, congestion);
        } else {
            pacer.refill(timeUs, pace.bytesPerSecond(), pace.burstBytes());
        }
    }

    private boolean hasRoom(int windowSegments, long windowBytes) {
        return detector.pipeSegments() < windowSegments && detector.pipeBytes() < windowBytes;
    }

    private void sendNew(Segment segment, int timeMs) {
        RedundantCopies preceding = null;
        if (copies != null) {
            copies.onNew(segment, timeMs);
            preceding = queue.isEmpty() ? copies : null;
        }
        send(segment, timeMs, preceding);
    }

    private void send(Segment segment, int timeMs, @Nullable RedundantCopies preceding) {
        segment.transmissions++;
        exhausted |= maxTransmissions > 0 && segment.transmissions >= maxTransmissions;
        detector.onTransmitted(segment, timeMs);
        feedback.onTransmitted(segment);
        // Updates the pacer before calling push(), because push() may write a datagram that is acknowledged immediately, and the
        // acknowledgement recycles the segment.
        pacer.onSent(SegmentHeader.LENGTH + segment.payloadBytes);
        int ts = timeMs + timestampBase;
        if (preceding == null) {
            writer.push(segment, ts);
        } else if (writer.makeRoom(segment)) {
            preceding.append(writer, segment, pacer, timeMs, ts);
            writer.append(segment, ts);
        }
    }

    /** Returns the milliseconds until a queued or lost segment may be sent, or {@code NO_DEADLINE} if there is none. */
    int msUntilTransmission(int timeMs, long timeUs, boolean delayed, int delayedUntilMs) {
        boolean lost = !window.lost().isEmpty();
        CongestionControl congestion = feedback.congestion();
        if (!lost && !canAdmit()) {
            // The congestion window of kcp-go starts at 0, so a first flush is needed to open it.
            return congestion.spanLimit() == 0 && !queue.isEmpty() && remoteWindow.segments() > 0 ? 0 : ProtocolConstants.NO_DEADLINE;
        }
        if (!hasRoom(congestion.maxSegmentsInFlight(), congestion.maxBytesInFlight())) {
            return ProtocolConstants.NO_DEADLINE;
        }
        // An acknowledgement may have raised the pacing rate since the latest flush.
        refillPacer(timeUs, congestion);
        int wait = pacer.msUntilPass(timeUs);
        return lost || !delayed ? wait : Math.max(wait, delayedUntilMs - timeMs);
    }

    private void countRetransmission(Segment segment) {
        RetransmitReason reason = segment.retransmitReason;
        if (reason == RetransmitReason.FAST) {
            counters.fastRetransmissions++;
        } else if (reason == RetransmitReason.EARLY) {
            counters.earlyRetransmissions++;
        } else {
            counters.timeoutRetransmissions++;
        }
    }
}
