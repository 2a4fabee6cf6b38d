package io.kcp.testkit;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;

/**
 * Computes a hash of all segments that one endpoint sends. The values of {@code sn}, {@code una} and {@code ts} are hashed relative to
 * their first values, so runs that differ only in the first values have the same hash.
 */
final class WireTrace implements LinkObserver {

    private final TraceHash hash = new TraceHash();
    private final int firstSn;
    private final int firstPeerSn;
    private final int timestampStart;
    private final int peerTimestampStart;

    WireTrace(int firstSn, int firstPeerSn, int timestampStart, int peerTimestampStart) {
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
            // The sn and ts of a probe have no meaning and are therefore not hashed.
            if (cmd == SegmentHeader.CMD_PUSH) {
                hash.add((long) (sn - firstSn) << 32 | ts - timestampStart & 0xFFFFFFFFL);
                hash.add(datagram.slice(offset + SegmentHeader.LENGTH, len));
            } else if (cmd == SegmentHeader.CMD_ACK) {
                hash.add((long) (sn - firstPeerSn) << 32 | ts - peerTimestampStart & 0xFFFFFFFFL);
            }
            offset += SegmentHeader.LENGTH + len;
        }
    }
}
