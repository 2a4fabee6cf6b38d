package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.PlayerInput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Encodes and decodes messages of the arena protocol in the format described in the package documentation. All methods borrow their
 * buffers.
 */
public final class ArenaCodec {

    private static final int JOIN = 1;
    private static final int INPUT = 2;
    private static final int SAY = 3;
    private static final int PING = 4;
    private static final int LEAVE = 5;
    private static final int WELCOME = 65;
    private static final int SNAPSHOT = 66;
    private static final int SAID = 67;
    private static final int ACK = 68;
    private static final int PONG = 69;
    private static final int KICKED = 70;
    private static final int MAX_EXPECTED_BYTES = 1400;

    private ArenaCodec() {
    }

    /**
     * Encodes a message.
     *
     * @param message the message
     * @return a new array
     */
    public static byte[] encode(ArenaMessage message) {
        ByteBuf out = Unpooled.buffer(MAX_EXPECTED_BYTES);
        encode(message, out);
        return ByteBufUtil.getBytes(out);
    }

    /**
     * Encodes a message.
     *
     * @param message the message
     * @param out     receives the bytes
     */
    public static void encode(ArenaMessage message, ByteBuf out) {
        if (message instanceof ClientMessage fromPlayer) {
            encodeClient(fromPlayer, out);
        } else {
            encodeServer((ServerMessage) message, out);
        }
    }

    private static void encodeClient(ClientMessage message, ByteBuf out) {
        if (message instanceof ClientMessage.Join join) {
            out.writeByte(JOIN);
            writeName(join.room(), out);
            writeName(join.name(), out);
            out.writeLong(join.token().high()).writeLong(join.token().low()).writeInt(join.attempt()).writeBoolean(join.resume());
            writePosition(join.after(), out);
            out.writeLong(join.nextSequence());
        } else if (message instanceof ClientMessage.Input said) {
            PlayerInput input = said.input();
            out.writeByte(INPUT).writeInt(input.sequence()).writeByte(input.moveX()).writeByte(input.moveY()).writeByte(input.aim())
                .writeBoolean(input.firing());
        } else if (message instanceof ClientMessage.Say say) {
            out.writeByte(SAY).writeLong(say.sequence());
            writeText(say.text(), out);
        } else if (message instanceof ClientMessage.Ping ping) {
            out.writeByte(PING).writeLong(ping.id()).writeInt(ping.snapshots());
        } else {
            out.writeByte(LEAVE);
        }
    }

    private static void encodeServer(ServerMessage message, ByteBuf out) {
        if (message instanceof ServerMessage.Welcome welcome) {
            out.writeByte(WELCOME);
            writeName(welcome.login(), out);
            out.writeBoolean(welcome.resumed());
            writePosition(welcome.position(), out);
            writeName(welcome.gateway(), out);
        } else if (message instanceof ServerMessage.Snapshot snapshot) {
            out.writeByte(SNAPSHOT);
            ViewCodec.encode(snapshot.view(), out);
        } else if (message instanceof ServerMessage.Said said) {
            out.writeByte(SAID);
            writePosition(said.position(), out);
            writeName(said.login(), out);
            out.writeLong(said.sequence());
            writeText(said.text(), out);
        } else if (message instanceof ServerMessage.Ack ack) {
            out.writeByte(ACK).writeLong(ack.sequence());
        } else if (message instanceof ServerMessage.Pong pong) {
            out.writeByte(PONG).writeLong(pong.id());
        } else if (message instanceof ServerMessage.Kicked kicked) {
            out.writeByte(KICKED).writeByte(kicked.reason().ordinal());
            writeText(kicked.text(), out);
        }
    }

    /**
     * Decodes a message.
     *
     * @param in the bytes of exactly one message
     * @return the message
     * @throws IllegalArgumentException if the bytes are not one valid message
     */
    public static ArenaMessage decode(ByteBuf in) {
        try {
            ArenaMessage message = decodeFields(in);
            if (in.isReadable()) {
                throw new IllegalArgumentException(in.readableBytes() + " bytes follow the message");
            }
            return message;
        } catch (IndexOutOfBoundsException truncated) {
            throw new IllegalArgumentException("the message is truncated", truncated);
        }
    }

    private static ArenaMessage decodeFields(ByteBuf in) {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case JOIN -> new ClientMessage.Join(readName(in), readName(in), new Token(in.readLong(), in.readLong()), in.readInt(),
                readBoolean(in), readPosition(in), in.readLong());
            case INPUT -> new ClientMessage.Input(
                new PlayerInput(in.readInt(), in.readByte(), in.readByte(), in.readUnsignedByte(), readBoolean(in)));
            case SAY -> new ClientMessage.Say(in.readLong(), readText(in));
            case PING -> new ClientMessage.Ping(in.readLong(), in.readInt());
            case LEAVE -> new ClientMessage.Leave();
            case WELCOME -> new ServerMessage.Welcome(readName(in), readBoolean(in), readPosition(in), readName(in));
            case SNAPSHOT -> new ServerMessage.Snapshot(ViewCodec.decode(in));
            case SAID -> new ServerMessage.Said(readPosition(in), readName(in), in.readLong(), readText(in));
            case ACK -> new ServerMessage.Ack(in.readLong());
            case PONG -> new ServerMessage.Pong(in.readLong());
            case KICKED -> new ServerMessage.Kicked(readReason(in), readText(in));
            default -> throw new IllegalArgumentException("kind: " + kind + " (expected: a kind that the package documentation lists)");
        };
    }

    /**
     * Returns, without decoding the snapshot, a number that orders snapshots by age.
     *
     * @param in the bytes of one message, which stay unread
     * @return a number that is greater for newer snapshots, or -1 if the message is not a snapshot
     */
    public static long snapshotOrder(ByteBuf in) {
        int index = in.readerIndex();
        return in.readableBytes() > Long.BYTES && in.getByte(index) == SNAPSHOT ? in.getLong(index + 1) : -1;
    }

    private static KickReason readReason(ByteBuf in) {
        int code = in.readUnsignedByte();
        KickReason[] reasons = KickReason.values();
        if (code >= reasons.length) {
            throw new IllegalArgumentException("reason: " + code + " (expected: less than " + reasons.length + ')');
        }
        return reasons[code];
    }

    private static boolean readBoolean(ByteBuf in) {
        int value = in.readUnsignedByte();
        if (value > 1) {
            throw new IllegalArgumentException("boolean: " + value + " (expected: 0 or 1)");
        }
        return value == 1;
    }

    static void writeName(String name, ByteBuf out) {
        out.writeByte(name.length());
        out.writeCharSequence(name, StandardCharsets.US_ASCII);
    }

    static String readName(ByteBuf in) {
        return readUtf8(in, in.readUnsignedByte());
    }

    private static void writeText(String text, ByteBuf out) {
        int lengthIndex = out.writerIndex();
        out.writeShort(0);
        out.setShort(lengthIndex, ByteBufUtil.writeUtf8(out, text));
    }

    private static String readText(ByteBuf in) {
        return readUtf8(in, in.readUnsignedShort());
    }

    private static String readUtf8(ByteBuf in, int length) {
        ByteBuf bytes = in.readSlice(length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(ByteBufUtil.getBytes(bytes))).toString();
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("the text is not valid UTF-8", malformed);
        }
    }

    private static void writePosition(RoomPosition position, ByteBuf out) {
        out.writeLong(position.log()).writeLong(position.entry());
    }

    private static RoomPosition readPosition(ByteBuf in) {
        return new RoomPosition(in.readLong(), in.readLong());
    }
}
