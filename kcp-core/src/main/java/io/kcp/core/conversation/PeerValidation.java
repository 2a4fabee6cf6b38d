package io.kcp.core.conversation;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.loss.RttEstimator;
import io.kcp.core.internal.peer.LivenessProbe;
import io.kcp.core.internal.peer.WindowProbe;
import io.kcp.core.internal.receive.AckQueue;
import io.kcp.core.internal.receive.PushReader;
import io.kcp.core.internal.receive.ReceiveWindow;
import io.kcp.core.internal.send.Sender;

/**
 * Validates the address of a peer while an {@link AmplificationLimit} is active, without a deadlock if a short request has a long reply.
 *
 * <p>Data that exceeds the limit is not sent. An empty duplicate PUSH is sent instead, which every KCP implementation acknowledges. Its
 * {@code ts} is random, so the acknowledgement proves that the peer receives datagrams at its address. The probe and the acknowledgement
 * may be lost, and each repetition of the probe uses a part of the limit. The newest segment of the peer is therefore not acknowledged
 * while data is waiting, so that the peer retransmits the segment and thereby raises the limit.
 *
 * <p>If no data is waiting, the application may still be preparing its reply. The conversation therefore responds to the newest segment
 * with a probe, which has the same size as an acknowledgement. The response to the probe validates the peer, and the segment is then
 * acknowledged after one round trip. If the probe or its response is lost, the peer retransmits the segment, and the conversation repeats
 * the probe. A peer that has not responded to {@value #MAX_UNANSWERED} such probes is acknowledged without validation.
 */
final class PeerValidation {

    private static final int MAX_UNANSWERED = 8;
    /**
     * Maximum age at which a deferred acknowledgement is still sent as an ACK. The peer computes a retransmission timeout of up to six
     * times the age, and an older ACK could raise the timeout above the 200 ms with which every KCP implementation starts.
     */
    private static final int MAX_ACK_AGE_MS = 33;
    private static final int MAX_PROBE_INTERVAL_MS = 5_000;

    private final AmplificationLimit limit;
    private final Sender sender;
    private final RttEstimator rtt;
    private final PushReader pushes;
    private final ReceiveWindow received;
    private final AckQueue acks;
    private final WindowProbe windowProbe;
    /** Number of probes that were sent instead of an acknowledgement. */
    private int unanswered;
    private boolean ackHeld;
    private int heldSn;
    private int heldTs;
    private int heldAtMs;
    /** The {@code una} of the latest flush. It never decreases, because peers ignore segments with an older {@code una}. */
    private int sentUna;
    private boolean probeNow;
    private int probeWaitMs;
    private int probeAtMs;

    PeerValidation(AmplificationLimit limit, Sender sender, RttEstimator rtt, PushReader pushes, ReceiveWindow received, AckQueue acks,
        WindowProbe windowProbe) {
        this.limit = limit;
        this.sender = sender;
        this.rtt = rtt;
        this.pushes = pushes;
        this.received = received;
        this.acks = acks;
        this.windowProbe = windowProbe;
        sentUna = received.nextExpected();
    }

    /**
     * Counts an accepted datagram, and removes the limit if the peer is validated.
     *
     * @return {@code true} if the peer is validated, after which this object is not needed any more
     */
    boolean onDatagram(int bytes, boolean validated, int timeMs) {
        if (validated) {
            limit.lift();
            release(timeMs);
            return true;
        }
        limit.onReceived(bytes);
        return false;
    }

    /**
     * Removes the acknowledgement of the newest segment from the queue if the acknowledgement must be deferred.
     *
     * @return the {@code una} of the flush
     */
    int holdNewest(int timeMs) {
        int newest = pushes.newestSn();
        if (mayHold() && !SerialNumber.isAfter(sentUna, newest)) {
            if (ackHeld && heldSn != newest) {
                release(timeMs);
            }
            if (acks.removeAll(newest)) {
                ackHeld = true;
                heldAtMs = timeMs;
                heldSn = newest;
                heldTs = acks.removedTs();
                if (sender.isIdle()) {
                    probeNow = true;
                    unanswered++;
                }
            }
        } else {
            release(timeMs);
        }
        int nextExpected = received.nextExpected();
        sentUna = ackHeld && SerialNumber.isBefore(heldSn, nextExpected) ? heldSn : nextExpected;
        return sentUna;
    }

    private boolean mayHold() {
        return limit.mayHold() && pushes.hasPush() && (!sender.isIdle() || unanswered < MAX_UNANSWERED);
    }

    boolean owesAcknowledgement() {
        return ackHeld;
    }

    /**
     * Acknowledges the newest segment. If the acknowledgement is old and all earlier segments have been received, only {@code una}
     * acknowledges the segment, because an ACK with an old {@code ts} would make the peer measure a round trip that is too long. The
     * {@code una} is sent in a probe while the peer is not validated, and in a WINS afterwards.
     */
    private void release(int timeMs) {
        if (!ackHeld) {
            return;
        }
        ackHeld = false;
        if (timeMs - heldAtMs <= MAX_ACK_AGE_MS || !SerialNumber.isBefore(heldSn, received.nextExpected())) {
            acks.add(heldSn, heldTs, received.nextExpected(), ProtocolConstants.INITIAL_WINDOW_SEGMENTS);
        } else if (limit.isActive() && limit.mayHold()) {
            probeNow = true;
        } else {
            windowProbe.updateNow();
        }
    }

    /** Appends the probe to the outbound datagrams if it replaces an acknowledgement, or if data is blocked and the probe is due. */
    void writeProbe(DatagramWriter writer, int timeMs) {
        boolean due = probeNow || limit.isProbeWanted() && msUntilProbe(timeMs) == 0;
        probeNow = false;
        if (!due || !writer.mayAppend(SegmentHeader.LENGTH)) {
            return;
        }
        LivenessProbe probe = limit.probe();
        probe.begin(sender.window().oldestUnacked(), timeMs);
        writer.control(SegmentHeader.CMD_PUSH, probe.sn(), probe.ts());
        limit.onProbeSent();
        probeWaitMs = probeWaitMs == 0 ? rtt.rtoMs() : Math.min(probeWaitMs + (probeWaitMs >> 1), MAX_PROBE_INTERVAL_MS);
        probeAtMs = timeMs + probeWaitMs;
    }

    private int msUntilProbe(int timeMs) {
        return probeWaitMs == 0 ? 0 : Math.max(0, probeAtMs - timeMs);
    }

    /** Returns the milliseconds until the probe is due, or {@code NO_DEADLINE} if none is waiting. */
    int msUntilDue(int timeMs) {
        return limit.isProbeWanted() ? msUntilProbe(timeMs) : ProtocolConstants.NO_DEADLINE;
    }
}
