package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.NameView;
import io.kcp.examples.arena.world.PlayerView;
import io.kcp.examples.arena.world.PointView;
import io.kcp.examples.arena.world.WorldView;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Encodes and decodes snapshots with 10 bytes per player and 4 bytes per shot and gem. */
final class ViewCodec {

    private ViewCodec() {
    }

    static void encode(WorldView view, ByteBuf out) {
        out.writeInt(view.epoch());
        out.writeInt(view.tick());
        out.writeByte(view.players().size());
        for (PlayerView player : view.players()) {
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
        for (NameView name : view.names()) {
            out.writeShort(name.id());
            ArenaCodec.writeName(name.user(), out);
        }
    }

    private static void encode(List<PointView> points, ByteBuf out) {
        out.writeByte(points.size());
        for (PointView point : points) {
            out.writeShort(point.x());
            out.writeShort(point.y());
        }
    }

    static WorldView decode(ByteBuf in) {
        int epoch = in.readInt();
        int tick = in.readInt();
        int playerCount = in.readUnsignedByte();
        List<PlayerView> players = new ArrayList<>(Math.min(playerCount, in.readableBytes()));
        for (int i = 0; i < playerCount; i++) {
            players.add(new PlayerView(in.readUnsignedShort(), in.readUnsignedShort(), in.readUnsignedShort(), in.readUnsignedByte(),
                in.readUnsignedByte(), in.readUnsignedShort()));
        }
        List<PointView> shots = decodePoints(in);
        List<PointView> gems = decodePoints(in);
        int nameCount = in.readUnsignedByte();
        List<NameView> names = new ArrayList<>(Math.min(nameCount, in.readableBytes()));
        for (int i = 0; i < nameCount; i++) {
            int id = in.readUnsignedShort();
            String login = ArenaCodec.readName(in);
            Limits.login("user", login);
            names.add(new NameView(id, login));
        }
        return new WorldView(epoch, tick, players, shots, gems, names);
    }

    private static List<PointView> decodePoints(ByteBuf in) {
        int count = in.readUnsignedByte();
        List<PointView> points = new ArrayList<>(Math.min(count, in.readableBytes()));
        for (int i = 0; i < count; i++) {
            points.add(new PointView(in.readUnsignedShort(), in.readUnsignedShort()));
        }
        return points;
    }
}
