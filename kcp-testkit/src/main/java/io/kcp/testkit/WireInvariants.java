package io.kcp.testkit;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.SerialNumber;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Checks whether each datagram that one endpoint sends complies with the protocol rules and with the datagrams that the endpoint has
 * received. Keeps the first few violations.
 */
final class WireInvariants {

    private static final int MAX_KEPT = 5;
    /** Value of {@code frg} in an acknowledgement that repeats an earlier one, which only this library sends, and only to its own peers. */
    private static final int REPEATED_ACK = 1;

    private final String side;
    private final int conv;
    private final KcpConfig config;
    private final int mtuBytes;
    private final int firstReceiveSn;
    private final BooleanSupplier hasIgnoredUna;
    private final List<String> violations = new ArrayList<>();
    /** Maps the sn of every sent segment to the segment's frg and len fields. A retransmission must have the same values. */
    private final Map<Integer, Long> sentShapes = new HashMap<>();
    private final Set<Long> receivedStamps = new HashSet<>();
    private final Set<Integer> receivedAhead = new HashSet<>();
    private int nextNewSn;
    private int newestUnaHeard;
    private int largestWindowHeard = 32;
    private int unaSent;
    private int contiguousReceived;
    private long checked;
    private boolean mayRepeatAcks;

    /**
     * Creates the checks of one endpoint.
     *
     * @param hasIgnoredUna returns whether the endpoint has ignored a {@code una} that arrived sooner than it considers possible. It may
     *                      then retransmit acknowledged segments.
     */
    WireInvariants(String side, int conv, KcpConfig config, int overheadBytes, int firstSendSn, int firstReceiveSn,
        BooleanSupplier hasIgnoredUna) {
        this.side = side;
        this.conv = conv;
        this.config = config;
        this.firstReceiveSn = firstReceiveSn;
        this.hasIgnoredUna = hasIgnoredUna;
        mtuBytes = Math.max(config.mtuBytes(), config.mtuSearchLimitBytes()) - overheadBytes;
        nextNewSn = firstSendSn;
        newestUnaHeard = firstSendSn;
        unaSent = firstReceiveSn;
        contiguousReceived = firstReceiveSn;
    }

    /** Permits repeated acknowledgements, because both endpoints are of this library. */
    void allowRepeatedAcks() {
        mayRepeatAcks = true;
    }

    List<String> violations() {
        return violations;
    }

    void violated(String what) {
        if (violations.size() < MAX_KEPT) {
            violations.add(side + ": " + what + " (datagram " + checked + ')');
        }
    }

    /** Records a datagram that the endpoint is about to receive. */
    void onInput(ByteBuf datagram) {
        int end = datagram.writerIndex();
        int offset = datagram.readerIndex();
        while (end - offset >= SegmentHeader.LENGTH) {
            int una = SegmentHeader.una(datagram, offset);
            if (SerialNumber.isAfter(una, newestUnaHeard)) {
                newestUnaHeard = una;
            }
            largestWindowHeard = Math.max(largestWindowHeard, SegmentHeader.wnd(datagram, offset));
            if (SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH) {
                notePush(SegmentHeader.sn(datagram, offset), SegmentHeader.ts(datagram, offset));
            }
            offset += SegmentHeader.LENGTH + (int) SegmentHeader.len(datagram, offset);
        }
    }

    private void notePush(int sn, int ts) {
        receivedStamps.add(stamp(sn, ts));
        if (!SerialNumber.isBefore(sn, contiguousReceived)) {
            receivedAhead.add(sn);
            while (receivedAhead.remove(contiguousReceived)) {
                contiguousReceived++;
            }
        }
    }

    /** Checks a datagram that the endpoint sends. */
    void onOutput(ByteBuf datagram) {
        checked++;
        int bytes = datagram.readableBytes();
        if (bytes < SegmentHeader.LENGTH || bytes > mtuBytes) {
            violated("datagram of " + bytes + " bytes, MTU " + mtuBytes);
        }
        int end = datagram.writerIndex();
        int offset = datagram.readerIndex();
        while (end - offset >= SegmentHeader.LENGTH) {
            long len = SegmentHeader.len(datagram, offset);
            if (len > end - offset - SegmentHeader.LENGTH) {
                violated("len " + len + " exceeds the datagram");
                return;
            }
            checkSegment(datagram, offset, (int) len);
            offset += SegmentHeader.LENGTH + (int) len;
        }
        if (offset != end) {
            violated(end - offset + " bytes after the last segment");
        }
    }

    private void checkSegment(ByteBuf datagram, int offset, int len) {
        if (SegmentHeader.conv(datagram, offset) != conv) {
            violated("conv " + SegmentHeader.conv(datagram, offset));
        }
        if (SegmentHeader.wnd(datagram, offset) > config.maxReceiveWindow()) {
            violated("wnd " + SegmentHeader.wnd(datagram, offset) + " above the receive window");
        }
        int una = SegmentHeader.una(datagram, offset);
        if (SerialNumber.isBefore(una, unaSent) || SerialNumber.isAfter(una, contiguousReceived)) {
            violated("una " + (una - firstReceiveSn) + " after " + (unaSent - firstReceiveSn) + ", received up to "
                + (contiguousReceived - firstReceiveSn));
        }
        unaSent = una;
        int sn = SegmentHeader.sn(datagram, offset);
        int frg = SegmentHeader.frg(datagram, offset);
        switch (SegmentHeader.cmd(datagram, offset)) {
            case SegmentHeader.CMD_PUSH -> {
                if (isLivenessProbe(sn, frg, len)) {
                    checkProbe(sn);
                } else {
                    checkPush(sn, frg, len);
                }
            }
            case SegmentHeader.CMD_ACK -> {
                if (!receivedStamps.contains(stamp(sn, SegmentHeader.ts(datagram, offset)))) {
                    violated("acknowledged sn " + (sn - firstReceiveSn) + " with a ts that was not received");
                }
                checkControl(mayRepeatAcks && frg == REPEATED_ACK ? 0 : frg, len);
            }
            case SegmentHeader.CMD_WASK, SegmentHeader.CMD_WINS -> checkControl(frg, len);
            default -> violated("cmd " + SegmentHeader.cmd(datagram, offset));
        }
    }

    private void checkControl(int frg, int len) {
        if (frg != 0 || len != 0) {
            violated("control segment with frg " + frg + " and len " + len);
        }
    }

    /**
     * Returns {@code true} if a PUSH segment is empty and its sn is either -1 or the sn of the last segment that the peer has acknowledged.
     */
    private boolean isLivenessProbe(int sn, int frg, int len) {
        return frg == 0 && len == 0 && (sn == newestUnaHeard - 1 || sn == -1);
    }

    private void checkProbe(int sn) {
        if (!SerialNumber.isBefore(sn, newestUnaHeard)) {
            violated("liveness probe with sn " + sn + " that the peer may not have received");
        }
    }

    private void checkPush(int sn, int frg, int len) {
        if (SerialNumber.isBefore(sn, newestUnaHeard) && !hasIgnoredUna.getAsBoolean()) {
            violated("sent sn " + sn + " although the peer acknowledged all segments before " + newestUnaHeard);
        }
        if (sn == nextNewSn) {
            nextNewSn++;
            int window = Math.min(config.maxSendWindow(), largestWindowHeard);
            if (sn - newestUnaHeard >= window) {
                violated("sn " + sn + " is outside the window of " + window + " from " + newestUnaHeard);
            }
            Long before = sentShapes.get(sn - 1);
            int frgBefore = before == null ? 0 : (int) (before >> Integer.SIZE);
            if (frgBefore > 0 && frg != frgBefore - 1) {
                violated("frg " + frg + " after frg " + frgBefore);
            }
        } else if (SerialNumber.isAfter(sn, nextNewSn)) {
            violated("sn " + sn + " sent before " + nextNewSn);
        }
        Long shape = (long) frg << Integer.SIZE | len;
        Long earlier = sentShapes.putIfAbsent(sn, shape);
        if (earlier != null && !earlier.equals(shape)) {
            violated("sn " + sn + " changed between transmissions");
        }
    }

    private static long stamp(int sn, int ts) {
        return (long) sn << Integer.SIZE | Integer.toUnsignedLong(ts);
    }
}
