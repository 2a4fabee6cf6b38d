package io.kcp.testkit;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import java.util.Set;

/**
 * Computes a hash of all segments that one endpoint sends. The values of {@code sn}, {@code una} and {@code ts} are hashed relative to
 * their first values, so runs that differ only in the first values have the same hash.
 */
final class WireTrace implements LinkObserver {

    private final TraceHash hash = new TraceHash();
    private final Set<Long> livenessProbes;
    private final int firstSn;
    private final int firstPeerSn;
    private final int timestampStart;
    private final int peerTimestampStart;

    /**
     * Creates a trace.
     *
     * @param livenessProbes the stamps of the liveness probes of both endpoints, which the traces of both directions share
     */
    WireTrace(int firstSn, int firstPeerSn, int timestampStart, int peerTimestampStart, Set<Long> livenessProbes) {
        this.livenessProbes = livenessProbes;
        this.firstSn = firstSn;
        this.firstPeerSn = firstPeerSn;
        this.timestampStart = timestampStart;
        this.peerTimestampStart = peerTimestampStart;
    }

    long value() {
        return hash.value();
    }

    @Override
    public void onSent(ByteBuf datagram, LinkFate fate, long nowUs) {
        hash.add(nowUs);
        hash.add(fate.ordinal());
        int end = datagram.writerIndex();
        int offset = datagram.readerIndex();
        while (end - offset >= SegmentHeader.LENGTH) {
            int cmd = SegmentHeader.cmd(datagram, offset);
            int len = (int) SegmentHeader.len(datagram, offset);
            hash.add((long) cmd << 32 | (long) SegmentHeader.frg(datagram, offset) << 16 | SegmentHeader.wnd(datagram, offset));
            hash.add((long) len << 32 | SegmentHeader.una(datagram, offset) - firstPeerSn & 0xFFFFFFFFL);
            int sn = SegmentHeader.sn(datagram, offset);
            int ts = SegmentHeader.ts(datagram, offset);
            // The sn and ts of a WASK or WINS have no meaning and are therefore not hashed. The sn of a liveness probe (an empty PUSH) may
            // be -1, which is not relative to the first sn. Only the ts of the probe and of its acknowledgement is therefore hashed.
            boolean isProbe = cmd == SegmentHeader.CMD_PUSH && len == 0;
            if (isProbe) {
                livenessProbes.add(stamp(sn, ts));
            }
            if (isProbe || cmd == SegmentHeader.CMD_ACK && livenessProbes.contains(stamp(sn, ts))) {
                hash.add(ts - (isProbe ? timestampStart : peerTimestampStart));
            } else if (cmd == SegmentHeader.CMD_PUSH) {
                hash.add((long) (sn - firstSn) << 32 | ts - timestampStart & 0xFFFFFFFFL);
                hash.add(datagram.slice(offset + SegmentHeader.LENGTH, len));
            } else if (cmd == SegmentHeader.CMD_ACK) {
                hash.add((long) (sn - firstPeerSn) << 32 | ts - peerTimestampStart & 0xFFFFFFFFL);
            }
            offset += SegmentHeader.LENGTH + len;
        }
    }

    private static long stamp(int sn, int ts) {
        return (long) sn << Integer.SIZE | Integer.toUnsignedLong(ts);
    }
}
