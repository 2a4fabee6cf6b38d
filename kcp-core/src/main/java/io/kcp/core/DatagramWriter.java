package io.kcp.core;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Packs the segments of one flush into datagrams. All of them have the window and {@code una} of the start of the flush. */
final class DatagramWriter {

    private final KcpOutput output;
    private final KcpCounters counters;
    private final int conv;
    private int mtuBytes;
    private int wnd;
    private int una;
    private int announcedWindow = -1;
    private @Nullable ByteBuf datagram;

    DatagramWriter(int conv, KcpOutput output, KcpCounters counters) {
        this.conv = conv;
        this.output = output;
        this.counters = counters;
    }

    void begin(int mtuBytes, int wnd, int una) {
        this.mtuBytes = mtuBytes;
        this.wnd = Math.min(wnd, KcpConfig.MAX_WINDOW_SEGMENTS);
        this.una = una;
    }

    /** Returns the window that the latest datagram carried, -1 before the first. */
    int announcedWindow() {
        return announcedWindow;
    }

    void control(int cmd, int sn, int ts) {
        SegmentHeader.write(room(SegmentHeader.LENGTH), conv, cmd, 0, wnd, ts, sn, una, 0);
        counters.segmentsOut++;
    }

    /**
     * Appends a segment in flight. If the current datagram is full, it is written first. If that write delivers the acknowledgement of
     * this segment, nothing is appended.
     */
    void push(Segment segment, int ts) {
        int length = segment.payloadBytes;
        SegmentList inFlight = segment.list;
        endUnlessFits(SegmentHeader.LENGTH + length);
        if (segment.list != inFlight) {
            return;
        }
        ByteBuf out = room(SegmentHeader.LENGTH + length);
        SegmentHeader.write(out, conv, SegmentHeader.CMD_PUSH, segment.frg, wnd, ts, segment.sn, una, length);
        ByteBuf payload = segment.payload;
        assert payload != null;
        // getBytes of the source, because writeBytes of Netty's adaptive buffers allocates a ByteBuffer if the source is a slice.
        payload.getBytes(segment.payloadIndex, out, length);
        counters.segmentsOut++;
    }

    void end() {
        ByteBuf out = datagram;
        if (out != null) {
            datagram = null;
            announcedWindow = wnd;
            counters.datagramsOut++;
            counters.wireBytesOut += out.readableBytes();
            output.write(out);
        }
    }

    private void endUnlessFits(int bytes) {
        ByteBuf out = datagram;
        if (out != null && out.readableBytes() + bytes > mtuBytes) {
            end();
        }
    }

    /** Returns a datagram with room for this many bytes. A segment longer than the MTU is alone in its datagram. */
    private ByteBuf room(int bytes) {
        endUnlessFits(bytes);
        ByteBuf out = datagram;
        if (out == null) {
            out = output.allocate(Math.max(mtuBytes, bytes));
            datagram = out;
        }
        return out;
    }
}
