package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.room.RoomPosition;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads fields; says which problem there is with them. <b>Borrows</b> its buffer. */
final class MessageReader {

    private final ByteBuf in;

    MessageReader(ByteBuf in) {
        this.in = in;
    }

    int remaining() {
        return in.readableBytes();
    }

    private void need(int bytes, String what) throws ArenaDecodeException {
        if (in.readableBytes() < bytes) {
            throw new ArenaDecodeException(DecodeProblem.TRUNCATED,
                what + " needs " + bytes + " bytes, " + in.readableBytes() + " are left");
        }
    }

    int unsignedByte(String what) throws ArenaDecodeException {
        need(1, what);
        return in.readUnsignedByte();
    }

    int signedByte(String what) throws ArenaDecodeException {
        need(1, what);
        return in.readByte();
    }

    int unsignedShort(String what) throws ArenaDecodeException {
        need(2, what);
        return in.readUnsignedShort();
    }

    int integer(String what) throws ArenaDecodeException {
        need(Integer.BYTES, what);
        return in.readInt();
    }

    long longInteger(String what) throws ArenaDecodeException {
        need(Long.BYTES, what);
        return in.readLong();
    }

    boolean bool(String what) throws ArenaDecodeException {
        int value = unsignedByte(what);
        if (value > 1) {
            throw new ArenaDecodeException(DecodeProblem.BAD_VALUE, what + ": " + value + " (expected: 0 or 1)");
        }
        return value == 1;
    }

    RoomPosition position(String what) throws ArenaDecodeException {
        return new RoomPosition(longInteger(what), longInteger(what));
    }

    Token token() throws ArenaDecodeException {
        return new Token(longInteger("token"), longInteger("token"));
    }

    /** Reads a name or a login, which are ASCII; what it consists of is checked by the message. */
    String name(String what) throws ArenaDecodeException {
        int length = unsignedByte(what);
        need(length, what);
        return utf8(what, length);
    }

    String text(String what) throws ArenaDecodeException {
        int length = unsignedShort(what);
        need(length, what);
        return utf8(what, length);
    }

    private String utf8(String what, int length) throws ArenaDecodeException {
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException wrong) {
            throw new ArenaDecodeException(DecodeProblem.BAD_TEXT, what + " is no UTF-8");
        }
    }
}
