package io.kcp.netty;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A decoded KCP segment, which tests inspect or forge. */
public record WireSegment(int conv, int cmd, int frg, int wnd, int ts, int sn, int una, String payload) {

    public static final int WINDOW = 128;

    public static WireSegment push(int conv, int sn, int una, String payload) {
        return new WireSegment(conv, SegmentHeader.CMD_PUSH, 0, WINDOW, 0, sn, una, payload);
    }

    static WireSegment ack(int conv, int sn, int una) {
        return new WireSegment(conv, SegmentHeader.CMD_ACK, 0, WINDOW, 0, sn, una, "");
    }

    static WireSegment control(int conv, int cmd) {
        return new WireSegment(conv, cmd, 0, WINDOW, 0, 0, 0, "");
    }

    boolean isPush() {
        return cmd == SegmentHeader.CMD_PUSH;
    }

    boolean isAck() {
        return cmd == SegmentHeader.CMD_ACK;
    }

    WireSegment withTs(int newTs) {
        return new WireSegment(conv, cmd, frg, wnd, newTs, sn, una, payload);
    }

    /** Returns a datagram that contains these segments. The caller must release it. */
    public static ByteBuf datagram(ByteBufAllocator allocator, WireSegment... segments) {
        ByteBuf datagram = allocator.directBuffer();
        for (WireSegment segment : segments) {
            byte[] payload = segment.payload.getBytes(StandardCharsets.ISO_8859_1);
            datagram.ensureWritable(SegmentHeader.LENGTH + payload.length);
            SegmentHeader.write(datagram, segment.conv, segment.cmd, segment.frg, segment.wnd, segment.ts, segment.sn,
                segment.una, payload.length);
            datagram.writeBytes(payload);
        }
        return datagram;
    }

    /** Parses the segments of a datagram. Neither releases the datagram nor changes its indexes. */
    public static List<WireSegment> parse(ByteBuf datagram) {
        List<WireSegment> segments = new ArrayList<>();
        int offset = datagram.readerIndex();
        while (datagram.writerIndex() - offset >= SegmentHeader.LENGTH) {
            int length = (int) SegmentHeader.len(datagram, offset);
            segments.add(new WireSegment(SegmentHeader.conv(datagram, offset), SegmentHeader.cmd(datagram, offset),
                SegmentHeader.frg(datagram, offset), SegmentHeader.wnd(datagram, offset), SegmentHeader.ts(datagram, offset),
                SegmentHeader.sn(datagram, offset), SegmentHeader.una(datagram, offset),
                datagram.toString(offset + SegmentHeader.LENGTH, length, StandardCharsets.ISO_8859_1)));
            offset += SegmentHeader.LENGTH + length;
        }
        return segments;
    }
}
