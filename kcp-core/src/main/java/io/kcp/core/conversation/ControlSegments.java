package io.kcp.core.conversation;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.SerialNumber;
import io.kcp.core.internal.datagram.AmplificationLimit;
import io.kcp.core.internal.datagram.DatagramWriter;
import io.kcp.core.internal.path.MtuSearch;
import io.kcp.core.internal.path.PathChallenge;
import io.kcp.core.internal.peer.LivenessProbe;
import io.kcp.core.internal.peer.WindowProbe;
import io.kcp.core.internal.receive.AckQueue;

/** Writes the control segments of a flush: acknowledgements, probes and window announcements. */
final class ControlSegments {

    private ControlSegments() {
        // Holds a static method only, so that an idle conversation needs no object for its control segments.
    }

    /** Appends the pending control segments to the outbound datagrams, as far as the {@link AmplificationLimit} allows them. */
    static void write(AckQueue acks, WindowProbe probe, LivenessProbe livenessProbe, CloseNotice closeNotice,
        int nextExpected, DatagramWriter writer, int timeMs) {
        int sn = 0;
        int ts = 0;
        boolean known = closeNotice.isPeerKnown();
        if (!acks.isEmpty()) {
            acks.thinning().onSent(timeMs);
            probe.onAcknowledged();
            if (known) {
                // Repetitions precede the new ACKs, which would otherwise make the repeated ones appear reordered.
                acks.history().write(writer, nextExpected);
            }
        }
        // Acknowledgements that are queued while this loop writes a datagram are not sent until the next flush.
        for (int left = acks.size(); left > 0 && !acks.isEmpty(); left--) {
            if (!writer.mayAppend(SegmentHeader.LENGTH)) {
                return;
            }
            int firstSn = acks.firstSn();
            int firstTs = acks.firstTs();
            acks.removeFirst();
            // Segments received in order need no ACK segment, because una acknowledges them. The final ACK of a flush is sent anyway,
            // because the peer needs its ts and wnd. The ACK of a late segment shows that the path has not lost it.
            boolean repeated = firstSn == sn && firstTs == ts;
            if (left == 1 || acks.isEmpty() || !SerialNumber.isBefore(firstSn, nextExpected)
                || isProbe(firstSn, nextExpected) && !repeated || acks.isLate(firstSn, firstTs)) {
                sn = firstSn;
                ts = firstTs;
                writer.control(SegmentHeader.CMD_ACK, sn, ts);
                if (known) {
                    acks.history().onSent(sn, ts, nextExpected);
                }
            }
        }
        int askBytes = (livenessProbe.isOutstanding() ? 2 : 1) * SegmentHeader.LENGTH;
        if (probe.isAskPending() && writer.mayAppend(askBytes) && probe.takeAsk()) {
            closeNotice.writeQuery(writer, sn, ts);
            livenessProbe.onWindowAsked();
            if (livenessProbe.isOutstanding()) {
                writer.control(SegmentHeader.CMD_PUSH, livenessProbe.sn(), livenessProbe.ts());
            }
        }
        if (probe.isAnswerPending() && writer.mayAppend(SegmentHeader.LENGTH) && probe.takeAnswer()) {
            closeNotice.writeAnswer(writer, sn, ts);
        }
        // The data of a bulk transfer leaves no room for a query after it.
        closeNotice.appendQuery(writer, timeMs);
    }

    /**
     * Returns {@code true} if a duplicate is so old that it can only be a probe, such as those of {@link PathChallenge} and
     * {@link MtuSearch}. Its sender needs the ACK.
     */
    private static boolean isProbe(int sn, int nextExpected) {
        return SerialNumber.diff(nextExpected, sn) > KcpConfig.MAX_WINDOW_SEGMENTS + 1;
    }
}
