package io.kcp.core.conversation;

import io.kcp.core.InputResult;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.datagram.AckRepetition;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.core.internal.peer.WindowProbe;
import io.kcp.core.internal.receive.PushReader;
import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.KcpCounters;
import io.kcp.core.internal.session.ReadHeader;
import io.netty.buffer.ByteBuf;

/**
 * Parses inbound datagrams as described in section 2.9 of {@code wire-format.md}. The whole datagram is validated before any of its
 * segments takes effect.
 */
final class DatagramReader {

    private final int conv;
    private final KcpCounters counters;
    private final AckReader acks;
    private final PushReader pushes;
    private final WindowProbe probe;
    private final CloseNotice closeNotice;
    private final DatagramReport report;
    private final ReadHeader header;

    DatagramReader(int conv, KcpCounters counters, AckReader acks, PushReader pushes, WindowProbe probe, CloseNotice closeNotice,
        SegmentPool pool) {
        this.conv = conv;
        this.counters = counters;
        this.acks = acks;
        this.pushes = pushes;
        this.probe = probe;
        this.closeNotice = closeNotice;
        report = pool.datagramReport();
        header = pool.header();
    }

    /** Returns the report on the latest accepted datagram. The object is reused for the next datagram of any conversation of the thread. */
    DatagramReport report() {
        return report;
    }

    /**
     * Reads one datagram.
     *
     * @param datagram  the datagram, borrowed
     * @param recovered {@code true} if FEC recovered it
     * @return the result of the validation; only an accepted datagram has an effect
     */
    InputResult read(ByteBuf datagram, boolean recovered, int timeMs) {
        counters.datagramsIn++;
        InputResult verdict = validate(datagram);
        if (verdict != InputResult.ACCEPTED) {
            counters.datagramErrors++;
            return verdict;
        }
        report.clear();
        boolean hadAcks = pushes.hasQueuedAcks();
        int length = datagram.readableBytes();
        int end = datagram.writerIndex();
        int offset = datagram.readerIndex();
        // The validation has left the header of the last segment, which is usually the only one.
        boolean isRead = end - offset - SegmentHeader.LENGTH - header.len() < SegmentHeader.LENGTH;
        while (end - offset >= SegmentHeader.LENGTH) {
            if (!isRead) {
                header.read(datagram, offset);
            }
            isRead = false;
            int len = (int) header.len();
            readSegment(datagram, offset + SegmentHeader.LENGTH, len, recovered, timeMs);
            offset += SegmentHeader.LENGTH + len;
            counters.segmentsIn++;
        }
        counters.wireBytesIn += length;
        report.bytes = recovered ? 0 : length;
        report.peerDelaysAcks = closeNotice.isPeerKnown();
        report.startsAcks = !hadAcks && pushes.hasQueuedAcks();
        return verdict;
    }

    AckReader acks() {
        return acks;
    }

    PushReader pushes() {
        return pushes;
    }

    /** Returns the result that {@link #read} would return for a datagram. This method changes no state. */
    InputResult validate(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        int end = datagram.writerIndex();
        if (end - offset < SegmentHeader.LENGTH) {
            return InputResult.TRUNCATED;
        }
        while (end - offset >= SegmentHeader.LENGTH) {
            header.read(datagram, offset);
            if (header.conv() != conv) {
                return InputResult.FOREIGN_CONVERSATION;
            }
            long len = header.len();
            if (len > end - offset - SegmentHeader.LENGTH) {
                return InputResult.TRUNCATED;
            }
            int cmd = header.cmd();
            if (cmd < SegmentHeader.CMD_PUSH || cmd > SegmentHeader.CMD_WINS) {
                return InputResult.UNKNOWN_COMMAND;
            }
            if (acks.isForged(cmd, header.sn(), header.una())) {
                return InputResult.FORGED_ACKNOWLEDGEMENT;
            }
            offset += SegmentHeader.LENGTH + (int) len;
        }
        return InputResult.ACCEPTED;
    }

    private void readSegment(ByteBuf datagram, int payloadIndex, int len, boolean recovered, int timeMs) {
        int cmd = header.cmd();
        // Processes the ACK before una. In the reverse order, una would usually acknowledge the same segment first, and the ACK would then
        // yield no round-trip sample.
        if (cmd == SegmentHeader.CMD_ACK) {
            boolean repeated = header.frg() == AckRepetition.REPEATED;
            acks.readAck(header.sn(), header.ts(), repeated, !repeated && !recovered, timeMs, report);
        }
        boolean current = acks.readUna(header.una(), header.wnd(), recovered, timeMs, report);
        if (cmd == SegmentHeader.CMD_PUSH) {
            pushes.read(header, datagram, payloadIndex, len, recovered, current, report);
        } else {
            report.maybeLive = true;
            if (cmd == SegmentHeader.CMD_WASK) {
                report.asksForResponse = true;
                probe.answerNow();
                closeNotice.onQuery(header.sn(), header.ts(), report.echoed);
            } else if (cmd == SegmentHeader.CMD_WINS) {
                report.echoed |= closeNotice.onAnswer(header.sn(), header.ts());
                acks.readWindowAnswer(report);
            }
        }
    }
}
