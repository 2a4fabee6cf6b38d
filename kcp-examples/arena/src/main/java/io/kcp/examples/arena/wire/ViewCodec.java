package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.WorldView;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Encodes and decodes snapshots, using 10 bytes for each player and 4 bytes for each shot and each gem. */
final class ViewCodec {

    private ViewCodec() {
    }

    static void encode(WorldView view, ByteBuf out) {
        out.writeInt(view.epoch());
        out.writeInt(view.tick());
        out.writeByte(view.players().size());
        for (WorldView.Player player : view.players()) {
            out.writeShort(player.id());
            out.writeShort(player.x());
            out.writeShort(player.y());
            out.writeByte(player.aim());
            out.writeByte(player.health());
            out.writeShort(player.score());
        }
        encode(view.shots(), out);
        encode(view.gems(), out);
        out.writeByte(view.names().size());
        for (WorldView.Name name : view.names()) {
            out.writeShort(name.id());
            ArenaCodec.writeName(name.user(), out);
        }
    }

    private static void encode(List<WorldView.Point> points, ByteBuf out) {
        out.writeByte(points.size());
        for (WorldView.Point point : points) {
            out.writeShort(point.x());
            out.writeShort(point.y());
        }
    }

    static WorldView decode(ByteBuf in) {
        int epoch = in.readInt();
        int tick = in.readInt();
        int playerCount = in.readUnsignedByte();
        List<WorldView.Player> players = new ArrayList<>(Math.min(playerCount, in.readableBytes()));
        for (int i = 0; i < playerCount; i++) {
            players.add(new WorldView.Player(in.readUnsignedShort(), in.readUnsignedShort(), in.readUnsignedShort(), in.readUnsignedByte(),
                in.readUnsignedByte(), in.readUnsignedShort()));
        }
        List<WorldView.Point> shots = decodePoints(in);
        List<WorldView.Point> gems = decodePoints(in);
        int nameCount = in.readUnsignedByte();
        List<WorldView.Name> names = new ArrayList<>(Math.min(nameCount, in.readableBytes()));
        for (int i = 0; i < nameCount; i++) {
            int id = in.readUnsignedShort();
            String login = ArenaCodec.readName(in);
            Limits.login("user", login);
            names.add(new WorldView.Name(id, login));
        }
        return new WorldView(epoch, tick, players, shots, gems, names);
    }

    private static List<WorldView.Point> decodePoints(ByteBuf in) {
        int count = in.readUnsignedByte();
        List<WorldView.Point> points = new ArrayList<>(Math.min(count, in.readableBytes()));
        for (int i = 0; i < count; i++) {
            points.add(new WorldView.Point(in.readUnsignedShort(), in.readUnsignedShort()));
        }
        return points;
    }
}
