package io.kcp.core.internal.session;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;

/**
 * The fields of a segment header that was read from a datagram. One object is reused for all headers of a thread. Reading the header with
 * three 8-byte loads is faster than reading its eight fields one by one.
 */
public final class ReadHeader {

    private long convToWnd;
    private long tsAndSn;
    private long unaAndLen;

    /** Reads the header at an index of a datagram, which is borrowed. At least {@link SegmentHeader#LENGTH} bytes must follow. */
    public void read(ByteBuf datagram, int offset) {
        convToWnd = datagram.getLongLE(offset);
        tsAndSn = datagram.getLongLE(offset + SegmentHeader.TS_OFFSET);
        unaAndLen = datagram.getLongLE(offset + SegmentHeader.UNA_OFFSET);
    }

    public int conv() {
        return (int) convToWnd;
    }

    public int cmd() {
        return (int) (convToWnd >>> 32) & 0xFF;
    }

    public int frg() {
        return (int) (convToWnd >>> 40) & 0xFF;
    }

    public int wnd() {
        return (int) (convToWnd >>> 48);
    }

    public int ts() {
        return (int) tsAndSn;
    }

    public int sn() {
        return (int) (tsAndSn >>> 32);
    }

    public int una() {
        return (int) unaAndLen;
    }

    /** Returns the payload length as an unsigned number. */
    public long len() {
        return unaAndLen >>> 32;
    }
}
