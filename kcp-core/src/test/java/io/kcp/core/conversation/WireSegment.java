package io.kcp.core.conversation;

import io.kcp.core.SegmentHeader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A segment as a test writes or reads it: coded independently of {@link SegmentHeader}, so that neither vouches for itself. */
public record WireSegment(int conv, int cmd, int frg, int wnd, int ts, int sn, int una, byte[] payload) {

    public static final int CONV = 0x11223344;
    public static final int PUSH = 81;
    public static final int ACK = 82;
    public static final int WASK = 83;
    public static final int WINS = 84;
    /** The {@code sn} of a query for close notices and of its response. */
    public static final int SUPPORT_SN = 0x4B435031;

    private static final int HEADER_BYTES = 24;
    private static final int WINDOW = 128;
    private static final byte[] EMPTY = new byte[0];

    public static WireSegment push(int sn, int ts, byte[] payload) {
        return new WireSegment(CONV, PUSH, 0, WINDOW, ts, sn, 0, payload);
    }

    public static WireSegment ack(int sn, int ts, int una) {
        return new WireSegment(CONV, ACK, 0, WINDOW, ts, sn, una, EMPTY);
    }

    public static WireSegment wask() {
        return new WireSegment(CONV, WASK, 0, WINDOW, 0, 0, 0, EMPTY);
    }

    public static WireSegment wins(int wnd) {
        return new WireSegment(CONV, WINS, 0, wnd, 0, 0, 0, EMPTY);
    }

    WireSegment withConv(int value) {
        return new WireSegment(value, cmd, frg, wnd, ts, sn, una, payload);
    }

    WireSegment withCmd(int value) {
        return new WireSegment(conv, value, frg, wnd, ts, sn, una, payload);
    }

    WireSegment withFrg(int value) {
        return new WireSegment(conv, cmd, value, wnd, ts, sn, una, payload);
    }

    public WireSegment withWnd(int value) {
        return new WireSegment(conv, cmd, frg, value, ts, sn, una, payload);
    }

    WireSegment withTs(int value) {
        return new WireSegment(conv, cmd, frg, wnd, value, sn, una, payload);
    }

    public WireSegment withUna(int value) {
        return new WireSegment(conv, cmd, frg, wnd, ts, sn, value, payload);
    }

    public boolean isPush() {
        return cmd == PUSH;
    }

    public boolean isAck() {
        return cmd == ACK;
    }

    public byte[] bytes() {
        return bytesWithLen(payload.length);
    }

    /** Encodes with a {@code len} that need not be true. */
    public byte[] bytesWithLen(int len) {
        return ByteBuffer.allocate(HEADER_BYTES + payload.length).order(ByteOrder.LITTLE_ENDIAN).putInt(conv).put((byte) cmd)
            .put((byte) frg).putShort((short) wnd).putInt(ts).putInt(sn).putInt(una).putInt(len).put(payload).array();
    }

    public static byte[] datagram(WireSegment... segments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (WireSegment segment : segments) {
            out.writeBytes(segment.bytes());
        }
        return out.toByteArray();
    }

    /** Parses a whole datagram; anything left over is an error. */
    public static List<WireSegment> parse(byte[] datagram) {
        List<WireSegment> segments = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(datagram).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            int conv = in.getInt();
            int cmd = in.get() & 0xFF;
            int frg = in.get() & 0xFF;
            int wnd = in.getShort() & 0xFFFF;
            int ts = in.getInt();
            int sn = in.getInt();
            int una = in.getInt();
            byte[] payload = new byte[in.getInt()];
            in.get(payload);
            segments.add(new WireSegment(conv, cmd, frg, wnd, ts, sn, una, payload));
        }
        return segments;
    }

    @Override
    public String toString() {
        return cmd + "(frg " + frg + ", wnd " + wnd + ", ts " + ts + ", sn " + sn + ", una " + una + ", "
            + HexFormat.of().formatHex(payload) + ')';
    }
}
