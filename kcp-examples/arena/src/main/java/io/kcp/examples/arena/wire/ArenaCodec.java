package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.world.PlayerInput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Makes bytes of messages, and messages of bytes. */
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
    private static final KickReason[] KICK_REASONS = KickReason.values();

    private ArenaCodec() {
    }

    /**
     * Writes a message.
     *
     * @param message what to write
     * @param out     where to, <b>borrowed</b>
     */
    public static void encode(ArenaMessage message, ByteBuf out) {
        if (message instanceof ClientMessage fromPlayer) {
            encodeClient(fromPlayer, out);
        } else {
            encodeServer((ServerMessage) message, out);
        }
    }

    /**
     * Makes the bytes of a message.
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
     * Reads what a player said.
     *
     * @param in the bytes of one message, <b>borrowed</b>; are read
     * @return the message
     * @throws ArenaDecodeException if it is none, and which problem there is
     */
    public static ClientMessage decodeClient(ByteBuf in) throws ArenaDecodeException {
        ArenaMessage message = decode(in);
        if (message instanceof ClientMessage fromPlayer) {
            return fromPlayer;
        }
        throw new ArenaDecodeException(DecodeProblem.WRONG_DIRECTION, "a gateway's message came from a player");
    }

    /**
     * Reads what a gateway said.
     *
     * @param in the bytes of one message, <b>borrowed</b>; are read
     * @return the message
     * @throws ArenaDecodeException if it is none, and which problem there is
     */
    public static ServerMessage decodeServer(ByteBuf in) throws ArenaDecodeException {
        ArenaMessage message = decode(in);
        if (message instanceof ServerMessage fromGateway) {
            return fromGateway;
        }
        throw new ArenaDecodeException(DecodeProblem.WRONG_DIRECTION, "a player's message came from a gateway");
    }

    /**
     * Reads a message.
     *
     * @param in the bytes of one message, <b>borrowed</b>; are read
     * @return the message
     * @throws ArenaDecodeException if it is none, and which problem there is
     */
    public static ArenaMessage decode(ByteBuf in) throws ArenaDecodeException {
        if (!in.isReadable()) {
            throw new ArenaDecodeException(DecodeProblem.EMPTY, "no bytes");
        }
        MessageReader reader = new MessageReader(in);
        ArenaMessage message;
        try {
            message = decodeFields(reader.unsignedByte("kind"), reader);
        } catch (IllegalArgumentException wrong) {
            throw new ArenaDecodeException(DecodeProblem.BAD_VALUE, String.valueOf(wrong.getMessage()));
        }
        if (in.isReadable()) {
            throw new ArenaDecodeException(DecodeProblem.TRAILING_BYTES, in.readableBytes() + " bytes after the message");
        }
        return message;
    }

    /**
     * Looks how new a snapshot is, without reading it.
     *
     * @param in the bytes of one message, <b>borrowed</b>; stay unread
     * @return the epoch above the tick, which is greater for a newer one; -1 if it is no snapshot
     */
    public static long snapshotOrder(ByteBuf in) {
        int index = in.readerIndex();
        return in.readableBytes() > Long.BYTES && in.getByte(index) == SNAPSHOT ? in.getLong(index + 1) : -1;
    }

    private static void encodeClient(ClientMessage message, ByteBuf out) {
        if (message instanceof ClientMessage.Join join) {
            out.writeByte(JOIN);
            writeName(join.room(), out);
            writeName(join.name(), out);
            out.writeLong(join.token().high()).writeLong(join.token().low());
            out.writeInt(join.attempt()).writeBoolean(join.resume());
            writePosition(join.after(), out);
            out.writeLong(join.nextSequence());
            out.writeBoolean(join.takesOutOfBand());
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
            writePosition(ack.position(), out);
        } else if (message instanceof ServerMessage.Pong pong) {
            out.writeByte(PONG).writeLong(pong.id());
        } else if (message instanceof ServerMessage.Kicked kicked) {
            out.writeByte(KICKED).writeByte(kicked.reason().ordinal());
            writeText(kicked.text(), out);
        }
    }

    private static ArenaMessage decodeFields(int kind, MessageReader in) throws ArenaDecodeException {
        return switch (kind) {
            case JOIN -> new ClientMessage.Join(in.name("room"), in.name("name"), in.token(), in.integer("attempt"),
                in.bool("resume"), in.position("after"), in.longInteger("nextSequence"), in.bool("takesOutOfBand"));
            case INPUT -> new ClientMessage.Input(new PlayerInput(in.integer("sequence"), in.signedByte("moveX"), in.signedByte("moveY"),
                in.unsignedByte("aim"), in.bool("firing")));
            case SAY -> new ClientMessage.Say(in.longInteger("sequence"), in.text("text"));
            case PING -> new ClientMessage.Ping(in.longInteger("id"), in.integer("snapshots"));
            case LEAVE -> new ClientMessage.Leave();
            case WELCOME -> new ServerMessage.Welcome(in.name("login"), in.bool("resumed"), in.position("position"), in.name("gateway"));
            case SNAPSHOT -> new ServerMessage.Snapshot(ViewCodec.decode(in));
            case SAID -> new ServerMessage.Said(in.position("position"), in.name("login"), in.longInteger("sequence"), in.text("text"));
            case ACK -> new ServerMessage.Ack(in.longInteger("sequence"), in.position("position"));
            case PONG -> new ServerMessage.Pong(in.longInteger("id"));
            case KICKED -> new ServerMessage.Kicked(kickReason(in.unsignedByte("reason")), in.text("text"));
            default -> throw new ArenaDecodeException(DecodeProblem.UNKNOWN_KIND, "kind " + kind);
        };
    }

    private static KickReason kickReason(int code) throws ArenaDecodeException {
        if (code >= KICK_REASONS.length) {
            throw new ArenaDecodeException(DecodeProblem.BAD_VALUE,
                "reason: " + code + " (expected: less than " + KICK_REASONS.length + ')');
        }
        return KICK_REASONS[code];
    }

    static void writeName(String name, ByteBuf out) {
        out.writeByte(name.length());
        out.writeCharSequence(name, StandardCharsets.US_ASCII);
    }

    private static void writeText(String text, ByteBuf out) {
        int lengthIndex = out.writerIndex();
        out.writeShort(0);
        out.setShort(lengthIndex, ByteBufUtil.writeUtf8(out, text));
    }

    private static void writePosition(RoomPosition position, ByteBuf out) {
        out.writeLong(position.high()).writeLong(position.low());
    }
}
