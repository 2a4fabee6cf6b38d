package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A smux frame as bytes on the wire. It is encoded and decoded independently of the code under test. */
record WireFrame(int version, int command, int id, byte[] payload) {

    static final int SYN = 0;
    static final int FIN = 1;
    static final int PSH = 2;
    static final int NOP = 3;
    static final int UPD = 4;
    static final int HEADER = 8;

    static byte[] header(int version, int command, int length, int id) {
        return ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN).put((byte) version).put((byte) command)
            .putShort((short) length).putInt(id).array();
    }

    byte[] bytes() {
        ByteBuffer out = ByteBuffer.allocate(HEADER + payload.length);
        return out.put(header(version, command, payload.length, id)).put(payload).array();
    }

    String text() {
        return new String(payload, StandardCharsets.US_ASCII);
    }

    int consumed() {
        return ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
    }

    int window() {
        return ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).getInt(Integer.BYTES);
    }

    /** Decodes complete frames. */
    static List<WireFrame> decode(byte[] bytes) {
        List<WireFrame> frames = new ArrayList<>();
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        while (in.isReadable()) {
            int version = in.readUnsignedByte();
            int command = in.readUnsignedByte();
            byte[] payload = new byte[in.readUnsignedShortLE()];
            int id = in.readIntLE();
            in.readBytes(payload);
            frames.add(new WireFrame(version, command, id, payload));
        }
        return frames;
    }

    @Override
    public String toString() {
        String name = List.of("SYN", "FIN", "PSH", "NOP", "UPD").get(command) + ' ' + Integer.toUnsignedString(id);
        return command == PSH ? name + ' ' + payload.length : command == UPD ? name + ' ' + consumed() + ' ' + window() : name;
    }
}
