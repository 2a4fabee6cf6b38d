package io.kcp.core;

import io.netty.buffer.ByteBuf;

/**
 * Takes datagrams apart and tells the parts of a conversation what is in them: section 2.9 of {@code wire-format.md}. A
 * datagram is looked at whole before any of it counts.
 */
final class DatagramReader {

    /** A duplicate whose {@code ts} is older than the newest by more than this is a replay, or the peer's clock was set back. */
    private static final int STALE_TS_MS = 10_000;

    private final int conv;
    private final int timestampBase;
    private final KcpCounters counters;
    private final SendWindow sendWindow;
    private final ReceiveWindow receiveWindow;
    private final LossDetector detector;
    private final RttEstimator rtt;
    private final RemoteWindow remoteWindow;
    private final AckQueue acks;
    private final WindowProbe probe;
    private final LivenessProbe livenessProbe;
    private final CongestionSignal congestion;
    private int newestSn;
    private boolean anyPush;
    /** Newest {@code ts} of a PUSH that showed that the peer is alive; a replay is not newer. */
    private int newestVerifiedTs;
    private int staleTs;
    private boolean staleTsKnown;
    private boolean everAcknowledged;
    /** Shortest time between a transmission and its acknowledgement so far, in milliseconds; 0 before the first. */
    private int shortestRoundTripMs;
    private boolean roundTripKnown;

    // What the latest datagram brought.
    private int acknowledged;
    private boolean unaAdvanced;
    private int rttSampleMs;
    private boolean heard;
    private boolean verified;
    private boolean asks;
    private boolean acksBegan;

    DatagramReader(int conv, int timestampBase, KcpCounters counters, SendWindow sendWindow, ReceiveWindow receiveWindow,
        LossDetector detector, RttEstimator rtt, RemoteWindow remoteWindow, AckQueue acks, WindowProbe probe,
        LivenessProbe livenessProbe, CongestionSignal congestion) {
        this.conv = conv;
        this.timestampBase = timestampBase;
        this.counters = counters;
        this.sendWindow = sendWindow;
        this.receiveWindow = receiveWindow;
        this.detector = detector;
        this.rtt = rtt;
        this.remoteWindow = remoteWindow;
        this.acks = acks;
        this.probe = probe;
        this.livenessProbe = livenessProbe;
        this.congestion = congestion;
    }

    /** Told when an acknowledgement shows that a loss was none. */
    interface CongestionSignal {
        void onSpuriousLoss();
    }

    /** Returns segments that the latest datagram acknowledged for the first time. */
    int acknowledged() {
        return acknowledged;
    }

    /** Returns whether the latest datagram moved the send window. */
    boolean unaAdvanced() {
        return unaAdvanced;
    }

    /** Returns the round trip that the latest datagram shows in milliseconds, -1 if none. */
    int rttSampleMs() {
        return rttSampleMs;
    }

    /** Returns {@code true} if the latest datagram may be of a live peer. It may also be a replay. */
    boolean heard() {
        return heard;
    }

    /**
     * Returns {@code true} if the latest datagram cannot be a replay, because it delivers or acknowledges something new, is a
     * duplicate newer than every PUSH before, or answers a {@link LivenessProbe}.
     */
    boolean verified() {
        return verified;
    }

    /** Returns {@code true} if the latest datagram holds a question, or data outside the window. */
    boolean asks() {
        return asks;
    }

    /** Returns whether the latest datagram put the first entry into an empty {@link AckQueue}. */
    boolean acksBegan() {
        return acksBegan;
    }

    boolean everAcknowledged() {
        return everAcknowledged;
    }

    InputResult read(ByteBuf datagram, boolean recovered, int timeMs) {
        counters.datagramsIn++;
        InputResult verdict = validate(datagram);
        if (verdict != InputResult.ACCEPTED) {
            counters.datagramErrors++;
            return verdict;
        }
        acknowledged = 0;
        unaAdvanced = false;
        rttSampleMs = -1;
        heard = false;
        verified = false;
        asks = false;
        boolean hadAcks = !acks.isEmpty();
        int length = datagram.readableBytes();
        int end = datagram.writerIndex();
        for (int offset = datagram.readerIndex(); end - offset >= SegmentHeader.LENGTH;) {
            int len = (int) SegmentHeader.len(datagram, offset);
            readSegment(datagram, offset, len, recovered, timeMs);
            offset += SegmentHeader.LENGTH + len;
            counters.segmentsIn++;
        }
        counters.wireBytesIn += length;
        acksBegan = !hadAcks && !acks.isEmpty();
        if (recovered) {
            rttSampleMs = -1;
        }
        return verdict;
    }

    private InputResult validate(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        int end = datagram.writerIndex();
        if (end - offset < SegmentHeader.LENGTH) {
            return InputResult.TRUNCATED;
        }
        int nextSn = sendWindow.nextSn();
        while (end - offset >= SegmentHeader.LENGTH) {
            if (SegmentHeader.conv(datagram, offset) != conv) {
                return InputResult.FOREIGN_CONVERSATION;
            }
            long len = SegmentHeader.len(datagram, offset);
            if (len > end - offset - SegmentHeader.LENGTH) {
                return InputResult.TRUNCATED;
            }
            int cmd = SegmentHeader.cmd(datagram, offset);
            if (cmd < SegmentHeader.CMD_PUSH || cmd > SegmentHeader.CMD_WINS) {
                return InputResult.UNKNOWN_COMMAND;
            }
            if (SerialNumber.isAfter(SegmentHeader.una(datagram, offset), nextSn)
                || cmd == SegmentHeader.CMD_ACK && SerialNumber.diff(SegmentHeader.sn(datagram, offset), nextSn) >= 0) {
                return InputResult.FORGED_ACKNOWLEDGEMENT;
            }
            offset += SegmentHeader.LENGTH + (int) len;
        }
        return InputResult.ACCEPTED;
    }

    private void readSegment(ByteBuf datagram, int offset, int len, boolean recovered, int timeMs) {
        int una = SegmentHeader.una(datagram, offset);
        int cmd = SegmentHeader.cmd(datagram, offset);
        // Before una is applied: the segment that an ACK names is usually covered by the una beside it.
        if (cmd == SegmentHeader.CMD_ACK) {
            readAck(SegmentHeader.sn(datagram, offset), SegmentHeader.ts(datagram, offset), timeMs);
        }
        boolean current = readUna(una, SegmentHeader.wnd(datagram, offset), recovered, timeMs);
        if (cmd == SegmentHeader.CMD_PUSH) {
            readPush(datagram, offset, len, recovered, current);
        } else {
            heard = true;
            if (cmd == SegmentHeader.CMD_WASK) {
                asks = true;
                probe.tellNow();
            } else if (cmd == SegmentHeader.CMD_WINS) {
                verified |= livenessProbe.isAnsweredByWindow(everAcknowledged);
            }
        }
    }

    /**
     * Acknowledges the segment that an ACK names. Every KCP echoes {@code ts} verbatim, also for duplicates and for segments
     * recovered by FEC, so an ACK with a {@code ts} outside the time from the first to the latest transmission is forged or
     * corrupt. It acknowledges nothing.
     */
    private void readAck(int sn, int ts, int timeMs) {
        Segment segment = sendWindow.find(sn);
        if (segment == null) {
            verified |= livenessProbe.isAnsweredBy(sn, ts);
            return;
        }
        int sentAtMs = ts - timestampBase;
        if (sentAtMs - segment.firstSentAtMs < 0 || segment.sentAtMs - sentAtMs < 0) {
            counters.unverifiedAcknowledgements++;
            return;
        }
        int roundTripMs = timeMs - sentAtMs;
        if (roundTripMs >= 0 && roundTripMs <= RttEstimator.MAX_RTO_MS) {
            rttSampleMs = roundTripMs;
            shortestRoundTripMs = roundTripKnown ? Math.min(shortestRoundTripMs, roundTripMs) : roundTripMs;
            roundTripKnown = true;
        }
        boolean waitsForRepetition = segment.list == sendWindow.lost();
        detector.onAcknowledged(segment, sentAtMs, timeMs);
        if (segment.sentAtMs != sentAtMs || waitsForRepetition) {
            // An earlier copy arrived after all; the latest one, if it left already, was needless.
            counters.spuriousRetransmissions += waitsForRepetition ? 0 : 1;
            congestion.onSpuriousLoss();
        }
        sendWindow.acknowledge(segment);
        acknowledged++;
        verified = true;
    }

    /**
     * Applies {@code una} and {@code wnd} of a segment, unless {@code una} acknowledges a segment sooner than half the
     * shortest round trip so far. Such a {@code una} is forged, or the path has become much shorter; then a verified ACK or
     * a later {@code una} acknowledges the segment.
     *
     * @return {@code true} if the segment is not older than the newest one received
     */
    private boolean readUna(int una, int wnd, boolean recovered, int timeMs) {
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
            noticeNeedlessRepetition(before, timeMs);
            acknowledged += sendWindow.acknowledgeBefore(una);
            unaAdvanced = true;
            everAcknowledged = true;
            verified = true;
        }
        return current;
    }

    /**
     * The acknowledgement of an earlier copy may itself have been lost. If una covers a segment much sooner after its
     * latest copy than a round trip takes, that copy was needless all the same.
     */
    private void noticeNeedlessRepetition(int sn, int timeMs) {
        Segment oldest = sendWindow.find(sn);
        if (oldest != null && rtt.isSampled() && (oldest.list == sendWindow.lost()
            || oldest.transmissions > 1 && timeMs - oldest.sentAtMs < rtt.smoothedRttMs() >> 1)) {
            congestion.onSpuriousLoss();
        }
    }

    private void readPush(ByteBuf datagram, int offset, int len, boolean recovered, boolean current) {
        int sn = SegmentHeader.sn(datagram, offset);
        int ts = SegmentHeader.ts(datagram, offset);
        ReceiveWindow.Verdict verdict = receiveWindow.offer(sn, SegmentHeader.frg(datagram, offset), datagram,
            offset + SegmentHeader.LENGTH, len);
        switch (verdict) {
            case STORED -> {
                // Of the newest segment, whatever it says: the peer's clock may have been set back.
                if (!anyPush || SerialNumber.isAfter(sn, newestSn)) {
                    anyPush = true;
                    newestSn = sn;
                    newestVerifiedTs = ts;
                }
                verified = true;
                acknowledgeLater(sn, ts);
            }
            case DUPLICATE -> {
                counters.repeatedSegments += recovered ? 0 : 1;
                if (current) {
                    readDuplicate(sn, ts);
                }
            }
            case OUT_OF_WINDOW -> {
                counters.repeatedSegments += recovered ? 0 : 1;
                heard = true;
                asks = true;
            }
            case REFUSED -> {
                counters.refusedSegments++;
                if (SegmentHeader.frg(datagram, offset) >= receiveWindow.windowSegments()) {
                    // The message exceeds the window and never fits; the answer shows the window to its sender.
                    probe.tellNow();
                }
            }
        }
    }

    /**
     * Acknowledges a duplicate unless it is a replay. The {@code ts} of retransmissions increases, so a duplicate newer than
     * every PUSH before is verified. Where the peer's clock was set back, retransmissions look stale; they are acknowledged as
     * soon as one is newer than the stale one before, otherwise a peer without acknowledgements would never get any.
     */
    private void readDuplicate(int sn, int ts) {
        if (!anyPush) {
            anyPush = true;
            newestSn = sn;
            newestVerifiedTs = ts;
            verified = true;
        } else if (SerialNumber.isAfter(ts, newestVerifiedTs)) {
            newestVerifiedTs = ts;
            verified = true;
        } else if (SerialNumber.diff(newestVerifiedTs, ts) > STALE_TS_MS) {
            boolean advanced = staleTsKnown && SerialNumber.isAfter(ts, staleTs);
            staleTsKnown = true;
            staleTs = ts;
            if (!advanced) {
                return;
            }
        }
        acknowledgeLater(sn, ts);
    }

    private void acknowledgeLater(int sn, int ts) {
        heard = true;
        acks.add(sn, ts, receiveWindow.nextExpected(), Math.max(receiveWindow.windowSegments(), RemoteWindow.INITIAL_SEGMENTS));
    }
}
