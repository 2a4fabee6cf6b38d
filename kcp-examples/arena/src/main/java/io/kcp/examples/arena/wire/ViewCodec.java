package io.kcp.examples.arena.wire;

import io.kcp.examples.arena.world.NameView;
import io.kcp.examples.arena.world.PlayerView;
import io.kcp.examples.arena.world.PointView;
import io.kcp.examples.arena.world.WorldView;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a snapshot: 10 of each player, 4 of each shot and gem. */
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
            out.writeByte(name.user().length());
            out.writeCharSequence(name.user(), StandardCharsets.US_ASCII);
        }
    }

    private static void encode(List<PointView> points, ByteBuf out) {
        out.writeByte(points.size());
        for (PointView point : points) {
            out.writeShort(point.x());
            out.writeShort(point.y());
        }
    }

    static WorldView decode(MessageReader in) throws ArenaDecodeException {
        int epoch = in.integer("epoch");
        int tick = in.integer("tick");
        int playerCount = in.unsignedByte("players");
        List<PlayerView> players = new ArrayList<>(Math.min(playerCount, in.remaining()));
        for (int i = 0; i < playerCount; i++) {
            players.add(new PlayerView(in.unsignedShort("id"), in.unsignedShort("x"), in.unsignedShort("y"), in.unsignedByte("aim"),
                in.unsignedByte("health"), in.unsignedShort("score")));
        }
        List<PointView> shots = decodePoints("shots", in);
        List<PointView> gems = decodePoints("gems", in);
        int nameCount = in.unsignedByte("names");
        List<NameView> names = new ArrayList<>(Math.min(nameCount, in.remaining()));
        for (int i = 0; i < nameCount; i++) {
            int id = in.unsignedShort("id");
            String login = in.name("user");
            Limits.login("user", login);
            names.add(new NameView(id, login));
        }
        return new WorldView(epoch, tick, players, shots, gems, names);
    }

    private static List<PointView> decodePoints(String what, MessageReader in) throws ArenaDecodeException {
        int count = in.unsignedByte(what);
        List<PointView> points = new ArrayList<>(Math.min(count, in.remaining()));
        for (int i = 0; i < count; i++) {
            points.add(new PointView(in.unsignedShort("x"), in.unsignedShort("y")));
        }
        return points;
    }
}
