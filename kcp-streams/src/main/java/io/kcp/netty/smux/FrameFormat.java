package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;

/** The layout of smux frames: version, command, payload length and stream id in 8 bytes, little-endian, then the payload. */
final class FrameFormat {

    static final int SYN = 0;
    static final int FIN = 1;
    static final int PSH = 2;
    static final int NOP = 3;
    static final int UPD = 4;
    static final int HEADER_BYTES = 8;
    static final int MAX_PAYLOAD_BYTES = 65_535;
    /** Length of the payload of a UPD frame, which is the number of consumed bytes followed by the window. */
    static final int UPDATE_BYTES = 8;
    /** The window, in bytes, that every peer assumes for a stream of version 2 before the first UPD frame. */
    static final int INITIAL_WINDOW_BYTES = 262_144;
    private static final int COMMAND_SHIFT = 8;
    private static final int LENGTH_SHIFT = 16;
    private static final int ID_SHIFT = 32;
    private static final int BYTE_MASK = 0xff;
    private static final int LENGTH_MASK = 0xffff;

    private FrameFormat() {
    }

    static int version(long header) {
        return (int) header & BYTE_MASK;
    }

    static int command(long header) {
        return (int) (header >>> COMMAND_SHIFT) & BYTE_MASK;
    }

    static int length(long header) {
        return (int) (header >>> LENGTH_SHIFT) & LENGTH_MASK;
    }

    static int streamId(long header) {
        return (int) (header >>> ID_SHIFT);
    }

    /** Writes a header to the buffer, which is <b>borrowed</b>. */
    static void writeHeader(ByteBuf out, SmuxVersion version, int command, int length, int streamId) {
        out.writeIntLE(version.number() | command << COMMAND_SHIFT | length << LENGTH_SHIFT);
        out.writeIntLE(streamId);
    }
}
